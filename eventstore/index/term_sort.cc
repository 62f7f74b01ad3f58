#include "eventstore/index/term_sort.h"

#include <algorithm>
#include <cstring>
#include <span>

#include "eventstore/base/endian.h"

namespace cairn {
namespace {

struct Item {
  std::uint64_t bytes = 0;  // the next eight bytes of the term, big-endian, with zeros behind its end
  const TermTable::Entry* entry = nullptr;
};

std::uint64_t bytes_at(const TermTable::Entry& entry, std::size_t depth) {
  const std::string_view text = entry.term.bytes;
  if (depth >= text.size()) return 0;
  unsigned char bytes[8] = {};
  std::memcpy(bytes, text.data() + depth, std::min<std::size_t>(sizeof bytes, text.size() - depth));
  return load_be64(bytes);
}

// Sorts items whose terms are equal up to `depth`. Names have no zero bytes, so a shorter one sorts first;
// digests are all of one length.
void sort_from(std::span<Item> items, std::size_t depth) {
  for (Item& item : items) item.bytes = bytes_at(*item.entry, depth);
  std::sort(items.begin(), items.end(), [](const Item& a, const Item& b) { return a.bytes < b.bytes; });
  for (std::size_t from = 0; from < items.size();) {
    std::size_t to = from + 1;
    while (to < items.size() && items[to].bytes == items[from].bytes) ++to;
    if (to - from > 1) sort_from(items.subspan(from, to - from), depth + sizeof(std::uint64_t));
    from = to;
  }
}

}  // namespace

std::vector<const TermTable::Entry*> sorted_entries(const TermTable& table) {
  std::vector<Item> items;
  items.reserve(table.entries().size());
  for (const TermTable::Entry* const entry : table.entries()) items.push_back({0, entry});
  const auto kind = [](const Item& item) { return item.entry->term.kind; };
  // Few kinds, which come in no order: one pass each.
  for (auto from = items.begin(); from != items.end();) {
    const TermKind least = kind(*std::min_element(
        from, items.end(), [&](const Item& a, const Item& b) { return kind(a) < kind(b); }));
    const auto to = std::partition(from, items.end(), [&](const Item& item) { return kind(item) == least; });
    sort_from(std::span(&*from, static_cast<std::size_t>(to - from)), 0);
    from = to;
  }
  std::vector<const TermTable::Entry*> sorted;
  sorted.reserve(items.size());
  for (const Item& item : items) sorted.push_back(item.entry);
  return sorted;
}

}  // namespace cairn
