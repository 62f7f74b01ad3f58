// The program is built for any x86-64 processor; only this file is compiled for AVX2.
#if defined(__x86_64__)
#ifndef __clang__
#pragma GCC target("avx2")
#endif
#include <immintrin.h>
#define XXH_VECTOR XXH_AVX2
#endif
#if defined(__clang__) && defined(__x86_64__)
#pragma clang attribute push(__attribute__((target("avx2"))), apply_to = function)
#endif
#define XXH_INLINE_ALL
#include <xxhash.h>
#if defined(__clang__) && defined(__x86_64__)
#pragma clang attribute pop
#endif

#include "eventstore/base/checksum_avx2.h"

namespace cairn {

bool has_avx2() {
#if defined(__x86_64__)
  static const bool has = __builtin_cpu_supports("avx2") != 0;
  return has;
#else
  return false;
#endif
}

#if defined(__clang__) && defined(__x86_64__)
__attribute__((target("avx2")))
#endif
std::uint64_t
checksum64_avx2(const void* data, std::size_t size, std::uint64_t seed) {
  return XXH3_64bits_withSeed(data, size, seed);
}

}  // namespace cairn
