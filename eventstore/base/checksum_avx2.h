#pragma once

#include <cstddef>
#include <cstdint>

namespace cairn {

// Whether this processor supports AVX2.
bool has_avx2();

// The same result as checksum64(), about twice as fast for large inputs. REQUIRES: has_avx2().
std::uint64_t checksum64_avx2(const void* data, std::size_t size, std::uint64_t seed);

}  // namespace cairn
