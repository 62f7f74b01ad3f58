#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <memory_resource>
#include <new>
#include <span>
#include <string_view>
#include <vector>

#include "eventstore/base/pointer_table.h"
#include "eventstore/base/prefetch.h"
#include "eventstore/index/term.h"

namespace cairn {

// The positions of one term in memory, ascending. Most terms of ids have one.
class TermPositions {
 public:
  std::size_t size() const { return first_ == 0 ? 0 : 1 + more_.size(); }
  std::uint64_t operator[](std::size_t at) const { return at == 0 ? first_ : more_[at - 1]; }
  std::uint64_t back() const { return more_.empty() ? first_ : more_.back(); }

  // REQUIRES: `position` is at least 1, and above the last one.
  void add(std::uint64_t position) {
    if (first_ == 0) {
      first_ = position;
    } else {
      more_.push_back(position);
    }
  }

  // How many are below `position`.
  std::size_t below(std::uint64_t position) const {
    if (first_ == 0 || position <= first_) return 0;
    return 1 +
           static_cast<std::size_t>(std::lower_bound(more_.begin(), more_.end(), position) - more_.begin());
  }

 private:
  std::uint64_t first_ = 0;  // 0: there is none
  std::vector<std::uint64_t> more_;
};

// A hash table from term to positions, for a part of the log. Entries have stable addresses and are allocated
// from an arena that is freed with the table; the bytes of a term follow its entry. Not thread-safe.
class TermTable {
 public:
  struct Entry {
    TermView term;
    TermPositions positions;
  };

  TermTable() = default;
  ~TermTable() {
    for (Entry* const entry : entries_) entry->~Entry();
  }
  TermTable(const TermTable&) = delete;
  TermTable& operator=(const TermTable&) = delete;

  // Prepares the table for `count` terms, so that of() does not rehash.
  void reserve(std::size_t count) { table_.reserve(count); }

  void prefetch(std::uint64_t hash) const { table_.prefetch(hash); }
  void prefetch_object(std::uint64_t hash) const { table_.prefetch_object(hash); }

  // Null when no event has the term. `hash` is hash_of(term).
  const TermPositions* find(const TermView& term, std::uint64_t hash) const {
    const Entry* const entry = find_entry(term, hash);
    return entry != nullptr ? &entry->positions : nullptr;
  }

  // The positions of the term, which is added if need be.
  TermPositions& of(const TermView& term, std::uint64_t hash) {
    if (Entry* const entry = find_entry(term, hash)) return entry->positions;
    Entry* const added = make(term);
    table_.insert(hash, added);
    return added->positions;
  }

  void add(const TermView& term, std::uint64_t hash, std::uint64_t position) {
    of(term, hash).add(position);
    ++pairs_;
  }

  // In insertion order: entries are only ever added at the end.
  std::span<Entry* const> entries() const { return entries_; }

  // The pairs of term and position.
  std::size_t pairs() const { return pairs_; }
  void count_pairs(std::size_t pairs) { pairs_ += pairs; }

  // The memory of entries and table, and about that of the lists.
  std::size_t bytes() const {
    return entry_bytes_ + entries_.capacity() * sizeof(Entry*) + table_.bytes() + pairs_ * kPositionBytes;
  }

 private:
  // A further position of a list, with unused capacity. A list's first position is in its entry.
  static constexpr std::size_t kPositionBytes = 12;

  Entry* find_entry(const TermView& term, std::uint64_t hash) const {
    return table_.find(hash, [&](const Entry& entry) { return entry.term == term; });
  }

  Entry* make(const TermView& term) {
    const std::size_t bytes = sizeof(Entry) + term.bytes.size();
    void* const place = memory_.allocate(bytes, kCacheLineBytes);
    entry_bytes_ += (bytes + kCacheLineBytes - 1) / kCacheLineBytes * kCacheLineBytes;
    char* const text = static_cast<char*>(place) + sizeof(Entry);
    std::memcpy(text, term.bytes.data(), term.bytes.size());
    entries_.push_back(new (place) Entry{{term.kind, {text, term.bytes.size()}}, {}});
    return entries_.back();
  }

  std::pmr::monotonic_buffer_resource memory_;
  std::size_t entry_bytes_ = 0;
  std::size_t pairs_ = 0;
  std::vector<Entry*> entries_;
  PointerTable<Entry> table_;
};

// The entries of the table by term.
std::vector<const TermTable::Entry*> sorted_entries(const TermTable& table);

}  // namespace cairn
