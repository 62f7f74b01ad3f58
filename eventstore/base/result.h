#pragma once

#include <optional>
#include <utility>
#include <variant>

#include "eventstore/base/assert.h"
#include "eventstore/base/error.h"

namespace cairn {

// A value, or the reason there is none. Functions that can fail return it; looking at value() of a failure,
// or error() of a success, is a mistake of ours and ends the process.
template <typename T>
class [[nodiscard]] Result {
 public:
  Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}
  Result(Error error) : state_(std::in_place_index<1>, std::move(error)) {}

  bool ok() const { return state_.index() == 0; }
  explicit operator bool() const { return ok(); }

  T& value() & {
    CAIRN_ASSERT(ok(), error_message());
    return std::get<0>(state_);
  }
  const T& value() const& {
    CAIRN_ASSERT(ok(), error_message());
    return std::get<0>(state_);
  }
  T&& value() && {
    CAIRN_ASSERT(ok(), error_message());
    return std::get<0>(std::move(state_));
  }

  T& operator*() & { return value(); }
  const T& operator*() const& { return value(); }
  T&& operator*() && { return std::move(*this).value(); }
  T* operator->() { return &value(); }
  const T* operator->() const { return &value(); }

  const Error& error() const& {
    CAIRN_ASSERT(!ok());
    return std::get<1>(state_);
  }
  Error&& error() && {
    CAIRN_ASSERT(!ok());
    return std::get<1>(std::move(state_));
  }

 private:
  const char* error_message() const { return ok() ? "" : std::get<1>(state_).message.c_str(); }

  std::variant<T, Error> state_;
};

// A success without a value.
template <>
class [[nodiscard]] Result<void> {
 public:
  Result() = default;
  Result(Error error) : error_(std::move(error)) {}

  bool ok() const { return !error_.has_value(); }
  explicit operator bool() const { return ok(); }

  const Error& error() const& {
    CAIRN_ASSERT(!ok());
    return *error_;
  }
  Error&& error() && {
    CAIRN_ASSERT(!ok());
    return *std::move(error_);
  }

 private:
  std::optional<Error> error_;
};

using Status = Result<void>;

}  // namespace cairn

#define CAIRN_CONCAT_INNER(a, b) a##b
#define CAIRN_CONCAT(a, b) CAIRN_CONCAT_INNER(a, b)

// CAIRN_TRY(auto x, f()): declares x with f()'s value, or returns f()'s error from this function.
#define CAIRN_TRY(declaration, expression)                        \
  auto CAIRN_CONCAT(cairn_try_, __LINE__) = (expression);         \
  if (!CAIRN_CONCAT(cairn_try_, __LINE__).ok()) {                 \
    return std::move(CAIRN_CONCAT(cairn_try_, __LINE__)).error(); \
  }                                                               \
  declaration = *std::move(CAIRN_CONCAT(cairn_try_, __LINE__))

// CAIRN_CHECK(f()): returns f()'s error from this function, if there is one.
#define CAIRN_CHECK(expression)                                             \
  do {                                                                      \
    if (auto cairn_check_status = (expression); !cairn_check_status.ok()) { \
      return std::move(cairn_check_status).error();                         \
    }                                                                       \
  } while (false)
