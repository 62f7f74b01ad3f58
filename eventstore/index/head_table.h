#pragma once

#include <cstring>
#include <deque>
#include <memory_resource>
#include <string_view>
#include <utility>

#include "eventstore/base/hashed_name.h"
#include "eventstore/base/pointer_table.h"
#include "eventstore/index/stream_head.h"

namespace cairn {

// Stream heads by the streams' names. What it holds does not move. Memory is taken in large pieces and given
// back with the table.
class HeadTable {
 public:
  struct Entry {
    std::string_view name;
    StreamHead head;
  };

  HeadTable() = default;
  HeadTable(const HeadTable&) = delete;
  HeadTable& operator=(const HeadTable&) = delete;

  // Makes the table large enough for `count` streams, as growing takes its time.
  void reserve(std::size_t count) { table_.reserve(count); }

  // Null when there is none.
  const StreamHead* find(const HashedName& name) const {
    const Entry* const entry = find_entry(name);
    return entry != nullptr ? &entry->head : nullptr;
  }

  // Sets the head of the stream, whether it was there or not.
  const Entry& put(const HashedName& name, StreamHead head) {
    if (Entry* const entry = find_entry(name)) {
      entry->head = std::move(head);
      return *entry;
    }
    Entry& added = entries_.emplace_back(Entry{keep(name.text), std::move(head)});
    table_.insert(name.hash, &added);
    return added;
  }

  const std::pmr::deque<Entry>& entries() const { return entries_; }
  const PointerTable<Entry>& table() const { return table_; }

 private:
  Entry* find_entry(const HashedName& name) const {
    return table_.find(name.hash, [&](const Entry& entry) { return entry.name == name.text; });
  }

  std::string_view keep(std::string_view name) {
    auto* const copy = static_cast<char*>(memory_.allocate(name.size(), 1));
    std::memcpy(copy, name.data(), name.size());
    return {copy, name.size()};
  }

  std::pmr::monotonic_buffer_resource memory_;
  std::pmr::deque<Entry> entries_{&memory_};
  PointerTable<Entry> table_;
};

}  // namespace cairn
