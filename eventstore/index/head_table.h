#pragma once

#include <deque>
#include <string>
#include <utility>

#include "eventstore/base/hashed_name.h"
#include "eventstore/base/pointer_table.h"
#include "eventstore/index/stream_head.h"

namespace cairn {

// Stream heads by the streams' names. What it holds does not move.
class HeadTable {
 public:
  struct Entry {
    std::string name;
    StreamHead head;
  };

  HeadTable() = default;
  HeadTable(const HeadTable&) = delete;
  HeadTable& operator=(const HeadTable&) = delete;

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
    Entry& added = entries_.emplace_back(Entry{std::string(name.text), std::move(head)});
    table_.insert(name.hash, &added);
    return added;
  }

  const std::deque<Entry>& entries() const { return entries_; }
  const PointerTable<Entry>& table() const { return table_; }

 private:
  Entry* find_entry(const HashedName& name) const {
    return table_.find(name.hash, [&](const Entry& entry) { return entry.name == name.text; });
  }

  std::deque<Entry> entries_;
  PointerTable<Entry> table_;
};

}  // namespace cairn
