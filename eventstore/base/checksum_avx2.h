#pragma once

#include <cstddef>
#include <cstdint>

namespace cairn {

// Whether this processor has what checksum64_avx2() is compiled for.
bool has_avx2();

// checksum64() at about twice the speed for large inputs; the same numbers. REQUIRES: has_avx2().
std::uint64_t checksum64_avx2(const void* data, std::size_t size, std::uint64_t seed);

}  // namespace cairn
