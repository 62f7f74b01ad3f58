#include "eventstore/index/term_table.h"

#include "eventstore/index/text_sort.h"

namespace cairn {
namespace {

std::vector<const TermTable::Entry*> sorted(std::span<TermTable::Entry* const> entries) {
  std::vector<TextItem> items;
  items.reserve(entries.size());
  for (const TermTable::Entry* const entry : entries)
    items.push_back({.text = entry->term.bytes, .object = entry});
  sort_by_text(items);
  std::vector<const TermTable::Entry*> sorted;
  sorted.reserve(items.size());
  for (const TextItem& item : items) sorted.push_back(static_cast<const TermTable::Entry*>(item.object));
  return sorted;
}

}  // namespace

TermTable::Sizes TermTable::sizes() const {
  Sizes sizes{};
  for (std::size_t kind = 0; kind < sizes.size(); ++kind)
    sizes[kind] = digests_[kind] ? digests_[kind]->pairs() : entries_[kind].size();
  return sizes;
}

void TermTable::reserve(const Sizes& sizes) {
  std::size_t names = 0;
  for (const TermKind kind : kTermKinds) {
    const std::size_t size = sizes[index_of(kind)];
    if (!is_digest(kind)) {
      names += size;
    } else if (size > 0) {
      digests_of(kind).reserve(size);
    }
  }
  names_.reserve(names);
}

void TermTable::append_from(const TermView& term, std::uint64_t from, std::size_t limit,
                            std::vector<std::uint64_t>& out) const {
  if (is_digest(term.kind)) {
    if (const DigestTable* const ids = digests(term.kind))
      ids->append_from(DigestTable::number_of(term.bytes), from, limit, out);
    return;
  }
  const TermPositions* const list = find(term, hash_of(term));
  if (list == nullptr) return;
  for (std::size_t at = list->below(from); at < list->size() && out.size() < limit; ++at)
    out.push_back((*list)[at]);
}

void TermTable::append_down_from(const TermView& term, std::uint64_t from, std::size_t limit,
                                 std::vector<std::uint64_t>& out) const {
  if (is_digest(term.kind)) {
    if (const DigestTable* const ids = digests(term.kind))
      ids->append_down_from(DigestTable::number_of(term.bytes), from, limit, out);
    return;
  }
  const TermPositions* const list = find(term, hash_of(term));
  if (list == nullptr) return;
  std::size_t at = from == ~std::uint64_t{0} ? list->size() : list->below(from + 1);
  while (at > 0 && out.size() < limit) out.push_back((*list)[--at]);
}

bool SortedTerms::next() {
  for (;;) {
    if (next_name() || next_digest()) return true;
    if (kind_ == kTermKinds.size()) return false;
    begin(kTermKinds[kind_++]);
  }
}

void SortedTerms::begin(TermKind kind) {
  term_.kind = kind;
  digests_ = is_digest(kind) ? table_.digests(kind) : nullptr;
  list_ = 0;
  if (!is_digest(kind)) entries_ = sorted(table_.entries(kind));
  entry_ = 0;
}

bool SortedTerms::next_name() {
  positions_ = nullptr;
  if (entry_ == entries_.size()) {
    entries_.clear();
    entry_ = 0;
    return false;
  }
  // Entries are in memory in the order in which they were added, and are read in another one.
  if (entry_ + kPrefetchedAtOnce < entries_.size()) prefetch(entries_[entry_ + kPrefetchedAtOnce]);
  const TermTable::Entry& entry = *entries_[entry_++];
  term_.bytes = entry.term.bytes;
  positions_ = &entry.positions;
  size_ = entry.positions.size();
  return true;
}

bool SortedTerms::next_digest() {
  if (digests_ == nullptr) return false;
  pair_ += size_;
  while (pair_ >= pairs_.size()) {
    if (list_ == DigestTable::kLists) {
      digests_ = nullptr;
      return false;
    }
    pairs_ = digests_->sorted(list_++);
    pair_ = 0;
  }
  digest_ = DigestTable::bytes_of(pairs_[pair_].digest);
  term_.bytes = {digest_.data(), digest_.size()};
  size_ = 1;
  while (pair_ + size_ < pairs_.size() && pairs_[pair_ + size_].digest == pairs_[pair_].digest) ++size_;
  return true;
}

}  // namespace cairn
