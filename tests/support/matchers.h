#pragma once

#include <string>
#include <vector>

#include <gmock/gmock.h>

#include "eventstore/base/result.h"

namespace cairn {

// How gtest prints a result that a test did not expect.
template <typename T>
void PrintTo(const Result<T>& result, std::ostream* out) {
  if (result.ok()) {
    *out << "success";
  } else {
    *out << to_string(result.error().code) << " \"" << result.error().message << "\"";
  }
}

}  // namespace cairn

namespace cairn::test {

MATCHER(succeeds, "succeeds") {
  if (arg.ok()) return true;
  *result_listener << to_string(arg.error().code) << ": " << arg.error().message;
  return false;
}

MATCHER_P(fails_with, code, std::string("fails with ") + std::string(to_string(code))) {
  if (arg.ok()) {
    *result_listener << "it succeeded";
    return false;
  }
  *result_listener << to_string(arg.error().code) << ": " << arg.error().message;
  return arg.error().code == code;
}

MATCHER_P2(fails_with_either, one, other,
           std::string("fails with ") + std::string(to_string(one)) + " or " +
               std::string(to_string(other))) {
  if (arg.ok()) {
    *result_listener << "it succeeded";
    return false;
  }
  *result_listener << to_string(arg.error().code) << ": " << arg.error().message;
  return arg.error().code == one || arg.error().code == other;
}

// kInvalidArgument, with `word` in the message.
MATCHER_P(is_refused_naming, word, std::string("is refused as wrong or too large, naming ") + word) {
  if (arg.ok()) {
    *result_listener << "it succeeded";
    return false;
  }
  *result_listener << to_string(arg.error().code) << ": " << arg.error().message;
  return (arg.error().code == Errc::kInvalidArgument || arg.error().code == Errc::kTooLarge) &&
         arg.error().message.find(word) != std::string::npos;
}

}  // namespace cairn::test
