#pragma once

#include <cstddef>

// GCC 12 takes the storage inside a small_vector for the only source that its moves copy from, and warns that
// they may read more than that (-Wstringop-overread). The warning appears where a move is inlined, so it is
// turned off for the code of this header.
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wstringop-overread"
#endif
#include <boost/container/small_vector.hpp>
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic pop
#endif

namespace cairn {

// A vector whose first `n` elements need no allocation.
template <typename T, std::size_t n>
using SmallVector = boost::container::small_vector<T, n>;

}  // namespace cairn
