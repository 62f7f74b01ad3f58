#pragma once

#include <concepts>
#include <optional>
#include <type_traits>
#include <utility>
#include <variant>

#include "eventstore/base/assert.h"
#include "eventstore/base/error.h"

namespace cairn {

// A tag that names the target type of convert_error(); see Result.
template <typename E>
struct ErrorKind {};

// Whether an error of type Other converts to one of type E: convert_error(ErrorKind<E>, other) is declared
// beside E. The schema registry declares one, for instance, that turns store errors into registry errors.
template <typename Other, typename E>
concept ConvertsToError = !std::same_as<std::remove_cvref_t<Other>, E> && requires(Other && other) {
  { convert_error(ErrorKind<E>{}, std::forward<Other>(other)) } -> std::convertible_to<E>;
};

namespace internal {

// The part of an error that an assertion prints.
template <typename E>
const char* message_of(const E& error) {
  if constexpr (requires { error.message.c_str(); }) {
    return error.message.c_str();
  } else {
    return "";
  }
}

}  // namespace internal

// A value, or the error that prevented it. Functions that can fail return it. value() of a failure and
// error() of a success are bugs and abort the process. E is Error unless a component has an error type of its
// own (RegistryError, Problem, ScriptError). CAIRN_TRY and CAIRN_CHECK return errors from functions with the
// same E, or with an E that the error converts to.
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
