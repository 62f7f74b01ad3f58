#pragma once

#include <cstring>
#include <memory_resource>
#include <new>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "eventstore/base/hashed_name.h"
#include "eventstore/base/pointer_table.h"
#include "eventstore/base/prefetch.h"
#include "eventstore/index/stream_head.h"

namespace cairn {

// A hash table from stream name to stream head. Entries have stable addresses. They are allocated from an
// arena that is freed with the table. A name is stored right behind its entry: both are read together, and
// mostly miss the cache. Not thread-safe.
class HeadTable {
 public:
  struct Entry {
    std::string_view name;
    StreamHead head;
  };

  HeadTable() = default;
  ~HeadTable() {
    for (Entry* const entry : entries_) entry->~Entry();
  }
  HeadTable(const HeadTable&) = delete;
  HeadTable& operator=(const HeadTable&) = delete;

  // Prepares the table for `count` streams, so that put() does not rehash.
  void reserve(std::size_t count) { table_.reserve(count); }

  // Null when there is no such stream.
  const StreamHead* find(const HashedName& name) const {
    const Entry* const entry = find_entry(name);
    return entry != nullptr ? &entry->head : nullptr;
  }

  // Inserts or replaces the head of the stream.
  const Entry& put(const HashedName& name, StreamHead head) {
    if (Entry* const entry = find_entry(name)) {
      entry->head = std::move(head);
      return *entry;
    }
    Entry* const added = make(name.text, std::move(head));
    table_.insert(name.hash, added);
    return *added;
  }

  // The memory of names, heads and the table. Jump paths of long streams, beyond four positions, are left out.
  std::size_t bytes() const { return entry_bytes_ + entries_.capacity() * sizeof(Entry*) + table_.bytes(); }

  // In insertion order.
  std::span<const Entry* const> entries() const { return entries_; }
  const PointerTable<Entry>& table() const { return table_; }

 private:
  Entry* find_entry(const HashedName& name) const {
    return table_.find(name.hash, [&](const Entry& entry) { return entry.name == name.text; });
  }

  Entry* make(std::string_view name, StreamHead head) {
    const std::size_t bytes = sizeof(Entry) + name.size();
    void* const place = memory_.allocate(bytes, kCacheLineBytes);
    entry_bytes_ += (bytes + kCacheLineBytes - 1) / kCacheLineBytes * kCacheLineBytes;
    char* const text = static_cast<char*>(place) + sizeof(Entry);
    std::memcpy(text, name.data(), name.size());
    entries_.push_back(new (place) Entry{{text, name.size()}, std::move(head)});
    return entries_.back();
  }

  std::pmr::monotonic_buffer_resource memory_;
  std::size_t entry_bytes_ = 0;
  std::vector<Entry*> entries_;
  PointerTable<Entry> table_;
};

}  // namespace cairn
