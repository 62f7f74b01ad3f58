#include "eventstore/index/term_table.h"

#include <map>

#include "eventstore/index/text_sort.h"

namespace cairn {

std::vector<const TermTable::Entry*> sorted_entries(const TermTable& table) {
  std::map<TermKind, std::vector<TextItem>> kinds;
  for (const TermTable::Entry* const entry : table.entries())
    kinds[entry->term.kind].push_back({.text = entry->term.bytes, .object = entry});
  std::vector<const TermTable::Entry*> sorted;
  sorted.reserve(table.entries().size());
  for (auto& [kind, items] : kinds) {
    sort_by_text(items);
    for (const TextItem& item : items) sorted.push_back(static_cast<const TermTable::Entry*>(item.object));
  }
  return sorted;
}

}  // namespace cairn
