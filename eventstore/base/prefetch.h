#pragma once

#include <cstddef>

namespace cairn {

inline constexpr std::size_t kCacheLineBytes = 64;

// How many objects to prefetch before the first is used: few enough that none is evicted before its use.
inline constexpr std::size_t kPrefetchedAtOnce = 32;

// Starts to load the cache line at `place` and returns at once. Any address is allowed.
inline void prefetch(const void* place) {
#if defined(__x86_64__)
  // Not __builtin_prefetch: GCC 12 considers a function that only prefetches to have no effect, and removes
  // the calls.
  asm volatile("prefetcht0 (%0)" : : "r"(place));
#else
  __builtin_prefetch(place);
#endif
}

}  // namespace cairn
