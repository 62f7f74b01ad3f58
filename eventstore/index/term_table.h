#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <memory>
#include <memory_resource>
#include <new>
#include <span>
#include <string_view>
#include <vector>

#include "eventstore/base/pointer_table.h"
#include "eventstore/base/prefetch.h"
#include "eventstore/index/digest_table.h"
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

// A table from term to positions, for a part of the log: a hash table of names, and the digests of ids. Entries
// have stable addresses and are allocated from an arena that is freed with the table; the bytes of a name follow
// its entry. Not thread-safe.
class TermTable {
 public:
  struct Entry {
    TermView term;
    TermPositions positions;
  };

  TermTable() = default;
  ~TermTable() {
    for (const auto& entries : entries_) {
      for (Entry* const entry : entries) entry->~Entry();
    }
  }
  TermTable(const TermTable&) = delete;
  TermTable& operator=(const TermTable&) = delete;

  // How many terms there are: names, and pairs of each kind that has digests.
  using Sizes = std::array<std::size_t, kTermKinds.size()>;
  Sizes sizes() const;

  // Prepares the table for that many terms, so that add() does not rehash.
  void reserve(const Sizes& sizes);

  // For terms that add() will get next.
  void prefetch(const TermView& term, std::uint64_t hash) const {
    if (!is_digest(term.kind)) {
      names_.prefetch(hash);
    } else if (const auto& digests = digests_[index_of(term.kind)]) {
      digests->prefetch(DigestTable::number_of(term.bytes));
    }
  }
  void prefetch_entry(const TermView& term, std::uint64_t hash) const {
    if (!is_digest(term.kind)) names_.prefetch_object(hash);
  }

  // Null when no event has the name. `hash` is hash_of(name). REQUIRES: it is not a digest.
  const TermPositions* find(const TermView& name, std::uint64_t hash) const {
    const Entry* const entry = find_entry(name, hash);
    return entry != nullptr ? &entry->positions : nullptr;
  }

  // The positions of the name, which is added if need be. The caller adds to them, and count_pairs() to the sum.
  // REQUIRES: it is not a digest.
  TermPositions& of(const TermView& name, std::uint64_t hash) {
    if (Entry* const entry = find_entry(name, hash)) return entry->positions;
    Entry* const added = make(name);
    names_.insert(hash, added);
    return added->positions;
  }
  void count_pairs(std::size_t pairs) { pairs_ += pairs; }

  // `hash` is hash_of(term). REQUIRES: positions ascend.
  void add(const TermView& term, std::uint64_t hash, std::uint64_t position) {
    ++pairs_;
    if (!is_digest(term.kind)) {
      of(term, hash).add(position);
    } else {
      digests_of(term.kind).add(DigestTable::number_of(term.bytes), position);
    }
  }

  // Appends positions of the term to `out`, until it has `limit`: ascending from `from` on, or descending from
  // `from` down.
  void append_from(const TermView& term, std::uint64_t from, std::size_t limit,
                   std::vector<std::uint64_t>& out) const;
  void append_down_from(const TermView& term, std::uint64_t from, std::size_t limit,
                        std::vector<std::uint64_t>& out) const;

  // In insertion order: entries are only ever added at the end. REQUIRES: `kind` has names.
  std::span<Entry* const> entries(TermKind kind) const { return entries_[index_of(kind)]; }
  // Null if there is none. REQUIRES: `kind` has digests.
  const DigestTable* digests(TermKind kind) const { return digests_[index_of(kind)].get(); }

  // The pairs of term and position.
  std::size_t pairs() const { return pairs_; }

  // The memory of entries and tables, and about that of the lists.
  std::size_t bytes() const {
    std::size_t bytes = entry_bytes_ + names_.bytes() + pairs_ * kPositionBytes;
    for (const auto& entries : entries_) bytes += entries.capacity() * sizeof(Entry*);
    for (const auto& digests : digests_) {
      if (digests) bytes += digests->bytes() - digests->pairs() * kPositionBytes;
    }
    return bytes;
  }

 private:
  // A further position of a list, with unused capacity. A list's first position is in its entry.
  static constexpr std::size_t kPositionBytes = 12;

  Entry* find_entry(const TermView& term, std::uint64_t hash) const {
    return names_.find(hash, [&](const Entry& entry) { return entry.term == term; });
  }

  DigestTable& digests_of(TermKind kind) {
    auto& digests = digests_[index_of(kind)];
    if (!digests) digests = std::make_unique<DigestTable>();
    return *digests;
  }

  Entry* make(const TermView& term) {
    const std::size_t bytes = sizeof(Entry) + term.bytes.size();
    void* const place = memory_.allocate(bytes, kCacheLineBytes);
    entry_bytes_ += (bytes + kCacheLineBytes - 1) / kCacheLineBytes * kCacheLineBytes;
    char* const text = static_cast<char*>(place) + sizeof(Entry);
    std::memcpy(text, term.bytes.data(), term.bytes.size());
    auto& entries = entries_[index_of(term.kind)];
    entries.push_back(new (place) Entry{{term.kind, {text, term.bytes.size()}}, {}});
    return entries.back();
  }

  std::pmr::monotonic_buffer_resource memory_;
  std::size_t entry_bytes_ = 0;
  std::size_t pairs_ = 0;
  std::array<std::vector<Entry*>, kTermKinds.size()> entries_;
  PointerTable<Entry> names_;
  std::array<std::unique_ptr<DigestTable>, kTermKinds.size()> digests_;
};

// Reads the terms of a table in the order on disk, each with its positions.
class SortedTerms {
 public:
  explicit SortedTerms(const TermTable& table) : table_(table) {}

  // Moves to the next term; false after the last one.
  bool next();

  // Of the current term; valid until the next call of next().
  TermView term() const { return term_; }
  std::size_t size() const { return size_; }
  std::uint64_t position(std::size_t at) const {
    return positions_ != nullptr ? (*positions_)[at] : pairs_[pair_ + at].position;
  }

 private:
  bool next_name();
  bool next_digest();
  void begin(TermKind kind);

  const TermTable& table_;
  std::size_t kind_ = 0;  // the number of kinds that were begun
  TermView term_;
  std::size_t size_ = 0;

  // Of names.
  std::vector<const TermTable::Entry*> entries_;  // of the kind, sorted
  std::size_t entry_ = 0;                         // the next one
  const TermPositions* positions_ = nullptr;

  // Of digests.
  const DigestTable* digests_ = nullptr;
  std::size_t list_ = 0;  // the number of lists that were begun
  std::vector<DigestTable::Pair> pairs_;
  std::size_t pair_ = 0;  // the first one of the term
  std::array<char, kDigestBytes> digest_{};
};

}  // namespace cairn
