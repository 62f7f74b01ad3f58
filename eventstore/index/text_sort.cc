#include "eventstore/index/text_sort.h"

#include <algorithm>
#include <cstring>

#include "eventstore/base/endian.h"

namespace cairn {
namespace {

// The next eight bytes, big-endian, with zeros behind the end.
std::uint64_t bytes_at(std::string_view text, std::size_t depth) {
  if (depth >= text.size()) return 0;
  unsigned char bytes[8] = {};
  std::memcpy(bytes, text.data() + depth, std::min<std::size_t>(sizeof bytes, text.size() - depth));
  return load_be64(bytes);
}

// Sorts items whose texts are equal up to `depth`.
void sort_from(std::span<TextItem> items, std::size_t depth) {
  for (TextItem& item : items) item.bytes = bytes_at(item.text, depth);
  std::sort(items.begin(), items.end(),
            [](const TextItem& a, const TextItem& b) { return a.bytes < b.bytes; });
  for (std::size_t from = 0; from < items.size();) {
    std::size_t to = from + 1;
    while (to < items.size() && items[to].bytes == items[from].bytes) ++to;
    if (to - from > 1) sort_from(items.subspan(from, to - from), depth + sizeof(std::uint64_t));
    from = to;
  }
}

}  // namespace

void sort_by_text(std::span<TextItem> items) { sort_from(items, 0); }

}  // namespace cairn
