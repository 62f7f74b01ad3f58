#pragma once

#include <sstream>
#include <string>

namespace cairn::internal {

[[noreturn]] void assertion_failed(const char* condition, const char* file, int line,
                                   const std::string& values);

template <typename... Values>
std::string print_values(const Values&... values) {
  std::ostringstream out;
  ((out << ' ' << values), ...);
  return out.str();
}

}  // namespace cairn::internal

// For conditions that only a bug can break: prints the condition and the values and aborts the process, in
// every build. Bad data is an error (Result); a broken invariant is an assertion.
#define CAIRN_ASSERT(condition, ...)                                                     \
  do {                                                                                   \
    if (!(condition)) [[unlikely]] {                                                     \
      ::cairn::internal::assertion_failed(#condition, __FILE__, __LINE__,                \
                                          ::cairn::internal::print_values(__VA_ARGS__)); \
    }                                                                                    \
  } while (false)
