#pragma once

#include <concepts>
#include <optional>
#include <type_traits>
#include <utility>
#include <variant>

#include "eventstore/base/assert.h"
#include "eventstore/base/error.h"

namespace cairn {

// Names the kind of error that another one is to become; see Result.
template <typename E>
struct ErrorKind {};

// Whether an error of type Other may stand for one of type E: a function convert_error(ErrorKind<E>, other) is
// declared beside E, as it is for the registry's errors, which store failures become.
template <typename Other, typename E>
concept ConvertsToError = !std::same_as<std::remove_cvref_t<Other>, E> && requires(Other && other) {
  { convert_error(ErrorKind<E>{}, std::forward<Other>(other)) } -> std::convertible_to<E>;
};

namespace internal {

// What an assertion prints of an error.
template <typename E>
const char* message_of(const E& error) {
  if constexpr (requires { error.message.c_str(); }) {
    return error.message.c_str();
  } else {
    return "";
  }
}

}  // namespace internal

// A value, or the reason there is none. Functions that can fail return it; looking at value() of a failure,
// or error() of a success, is a mistake of ours and ends the process. E is what callers act on: an Error unless
// the failure belongs to a part with a vocabulary of its own (RegistryError, Problem, ScriptError). CAIRN_TRY and
// CAIRN_CHECK pass errors on between functions with the same E, and with another one that they convert to.
template <typename T, typename E = Error>
class [[nodiscard]] Result {
 public:
  Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}
  Result(E error) : state_(std::in_place_index<1>, std::move(error)) {}
  template <ConvertsToError<E> Other>
  Result(Other&& error)
      : state_(std::in_place_index<1>, convert_error(ErrorKind<E>{}, std::forward<Other>(error))) {}

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

  const E& error() const& {
    CAIRN_ASSERT(!ok());
    return std::get<1>(state_);
  }
  E&& error() && {
    CAIRN_ASSERT(!ok());
    return std::get<1>(std::move(state_));
  }

 private:
  const char* error_message() const { return ok() ? "" : internal::message_of(std::get<1>(state_)); }

  std::variant<T, E> state_;
};

// A success without a value.
template <typename E>
class [[nodiscard]] Result<void, E> {
 public:
  Result() = default;
  Result(E error) : error_(std::move(error)) {}
  template <ConvertsToError<E> Other>
  Result(Other&& error) : error_(convert_error(ErrorKind<E>{}, std::forward<Other>(error))) {}

  bool ok() const { return !error_.has_value(); }
  explicit operator bool() const { return ok(); }

  const E& error() const& {
    CAIRN_ASSERT(!ok());
    return *error_;
  }
  E&& error() && {
    CAIRN_ASSERT(!ok());
    return *std::move(error_);
  }

 private:
  std::optional<E> error_;
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
