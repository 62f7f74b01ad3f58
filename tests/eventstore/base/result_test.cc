#include "eventstore/base/result.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>

namespace cairn {
namespace result_test {

// The error type of a component, to which store errors convert.
struct PartError {
  int code = 0;
  std::string message;
};
inline PartError convert_error(ErrorKind<PartError>, const Error& error) { return {7, error.message}; }

// An error type without conversions.
struct Fault {
  int line = 0;
};

}  // namespace result_test

namespace {

using result_test::Fault;
using result_test::PartError;

Result<int> store_value(bool fails) {
  if (fails) return make_error(Errc::kNotFound, "no such stream");
  return 3;
}

Result<std::string, PartError> part_value(bool store_fails, bool part_fails) {
  CAIRN_TRY(const int value, store_value(store_fails));
  if (part_fails) return PartError{9, "refused"};
  return std::to_string(value);
}

Result<void, PartError> part_check(bool store_fails) {
  CAIRN_CHECK(store_value(store_fails));
  return {};
}

Result<std::unique_ptr<int>, Fault> faulty(bool fails) {
  if (fails) return Fault{12};
  return std::make_unique<int>(5);
}

Result<int, Fault> taken_from(bool fails) {
  CAIRN_TRY(const std::unique_ptr<int> owned, faulty(fails));
  return *owned;
}

TEST(ResultTest, TryReturnsAnErrorOfTheSameType) {
  EXPECT_EQ(*taken_from(false), 5);
  EXPECT_EQ(taken_from(true).error().line, 12);
}

TEST(ResultTest, TryConvertsAnErrorToTheReturnedType) {
  EXPECT_EQ(*part_value(false, false), "3");
  EXPECT_EQ(part_value(false, true).error().code, 9);
  EXPECT_EQ(part_value(true, false).error().code, 7);
  EXPECT_EQ(part_value(true, false).error().message, "no such stream");
}

TEST(ResultTest, CheckConvertsAnErrorToTheReturnedType) {
  EXPECT_TRUE(part_check(false).ok());
  EXPECT_EQ(part_check(true).error().code, 7);
}

TEST(ResultTest, ErrorsThatDoNotConvertDoNotCompile) {
  static_assert(std::is_constructible_v<Result<int, PartError>, Error>);
  static_assert(std::is_constructible_v<Result<void, PartError>, const Error&>);
  static_assert(!std::is_constructible_v<Result<int, Fault>, Error>);
  static_assert(!std::is_constructible_v<Result<int>, PartError>);
  static_assert(!std::is_convertible_v<Result<int>, bool>);
}

TEST(ResultDeathTest, ValueOfAFailureAbortsWithTheMessage) {
  EXPECT_DEATH(static_cast<void>(store_value(true).value()), "no such stream");
  EXPECT_DEATH(static_cast<void>(*faulty(true)), "ok");
  EXPECT_DEATH(static_cast<void>(store_value(false).error()), "ok");
}

}  // namespace
}  // namespace cairn
