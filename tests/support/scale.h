#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <string_view>

// How much work a repeating test does: little in a daily run, less under a sanitizer, much in a nightly run.
namespace cairn::test {

#if defined(__SANITIZE_THREAD__)
inline constexpr std::size_t kSanitizerDivisor = 8;
#elif defined(__SANITIZE_ADDRESS__)
inline constexpr std::size_t kSanitizerDivisor = 4;
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
inline constexpr std::size_t kSanitizerDivisor = 8;
#elif __has_feature(address_sanitizer)
inline constexpr std::size_t kSanitizerDivisor = 4;
#else
inline constexpr std::size_t kSanitizerDivisor = 1;
#endif
#else
inline constexpr std::size_t kSanitizerDivisor = 1;
#endif

inline bool nightly() {
  const char* value = std::getenv("CAIRN_NIGHTLY");
  return value != nullptr && std::string_view(value) == "1";
}

// `daily` rounds, fewer under a sanitizer, `nightly_rounds` when CAIRN_NIGHTLY=1.
inline std::size_t rounds(std::size_t daily, std::size_t nightly_rounds) {
  return std::max<std::size_t>(1, (nightly() ? nightly_rounds : daily) / kSanitizerDivisor);
}
inline std::size_t rounds(std::size_t daily) { return rounds(daily, daily); }

}  // namespace cairn::test
