#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace cairn {

// An object to sort by its text.
struct TextItem {
  std::string_view text;  // without zero bytes, or as long as all others
  const void* object = nullptr;
  std::uint64_t bytes = 0;  // of sort_by_text()
};

// Sorts by text, eight bytes at a time (multikey quicksort): comparing whole texts would miss the cache for each
// of the n log n comparisons. REQUIRES: no two texts are equal.
void sort_by_text(std::span<TextItem> items);

}  // namespace cairn
