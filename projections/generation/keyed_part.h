#pragma once

#include <cstdint>
#include <string_view>

#include "eventstore/base/seeded_hash.h"
#include "eventstore/types.h"
#include "upcasters/model/shaped_event.h"

namespace cairn {

// The key of a row with its hash, which selects the partition. The hash is seeded for each process.
struct RowKey {
  std::string_view text;
  std::uint64_t hash = 0;

  static RowKey of(std::string_view text) { return {text, SeededHash()(text)}; }
  friend bool operator==(const RowKey& a, const RowKey& b) { return a.hash == b.hash && a.text == b.text; }
};

struct RowKeyHash {
  std::size_t operator()(const RowKey& key) const { return key.hash; }
};

// An event, or one part of an event that an upcaster split, and the row it belongs to.
struct KeyedPart {
  const EventView* event = nullptr;
  const ShapedEvent* part = nullptr;
  RowKey key;
};

}  // namespace cairn
