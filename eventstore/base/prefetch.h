#pragma once

#include <cstddef>

namespace cairn {

inline constexpr std::size_t kCacheLineBytes = 64;

// How many things to ask for before the first is used: few enough that this one is still in the cache when
// the last one's turn comes.
inline constexpr std::size_t kPrefetchedAtOnce = 32;

// Starts to bring the cache line at `place` in, and does not wait for it. Any address will do.
inline void prefetch(const void* place) {
#if defined(__x86_64__)
  // Not __builtin_prefetch: GCC 12 takes a function that does nothing else for one without any effect, and
  // leaves out the calls to it.
  asm volatile("prefetcht0 (%0)" : : "r"(place));
#else
  __builtin_prefetch(place);
#endif
}

}  // namespace cairn
