#pragma once

#include <sstream>
#include <string>

namespace cairn::internal {

[[noreturn]] void print_and_abort(const char* condition, const char* file, int line,
                                  const std::string& values);

// Never inlined, so that an assertion adds one comparison and one call to its function: Result::value() and
// other small functions stay small enough for the compiler to inline them.
template <typename... Values>
[[noreturn, gnu::cold, gnu::noinline]] void assertion_failed(const char* condition, const char* file,
                                                             int line, const Values&... values) {
  std::ostringstream out;
  ((out << ' ' << values), ...);
  print_and_abort(condition, file, line, out.str());
}

}  // namespace cairn::internal

// For conditions that only a bug can break: prints the condition and the values and aborts the process, in
// every build. Bad data is an error (Result); a broken invariant is an assertion.
#define CAIRN_ASSERT(condition, ...)                                                                  \
  do {                                                                                                \
    if (!(condition)) [[unlikely]] {                                                                  \
      ::cairn::internal::assertion_failed(#condition, __FILE__, __LINE__ __VA_OPT__(, ) __VA_ARGS__); \
    }                                                                                                 \
  } while (false)
