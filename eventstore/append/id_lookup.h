#pragma once

#include <cstdint>
#include <optional>

#include "eventstore/base/result.h"
#include "eventstore/index/index.h"
#include "eventstore/index/tail.h"
#include "eventstore/read/event_source.h"

namespace cairn {

// Finds the event with an id, among the events whose ids the store still keeps.
class IdLookup {
 public:
  IdLookup(const Tail& tail, const Index& index, const Uuid& store_id)
      : tail_(tail), index_(index), seed_(Index::id_seed(store_id)) {}

  // The position of the event with this id that was recorded on `first_day` or later; nullopt for an unknown
  // id. `events` verifies what the index finds by hash.
  Result<std::optional<GlobalPosition>> find(const Uuid& id, std::uint32_t first_day,
                                             EventSource& events) const;

 private:
  const Tail& tail_;
  const Index& index_;
  std::uint64_t seed_;
};

}  // namespace cairn
