#pragma once

#include <cstdint>
#include <optional>

#include "eventstore/base/result.h"
#include "eventstore/base/siphash.h"
#include "eventstore/index/index.h"
#include "eventstore/index/tail.h"
#include "eventstore/read/event_source.h"

namespace cairn {

// Finds the event with an id, among the events whose ids the store still keeps. The ids that the store has made
// itself name their position and are found for ever (server_id.h).
class IdLookup {
 public:
  IdLookup(const Tail& tail, const Index& index, const Uuid& store_id, const SipKey& id_key)
      : tail_(tail), index_(index), seed_(Index::id_seed(store_id)), id_key_(id_key) {}

  // The position, below `end`, of the event with this id that was recorded on `first_day` or later, or whose id
  // the store has made; nullopt for an unknown id. `events` verifies what the index finds by hash.
  Result<std::optional<GlobalPosition>> find(const Uuid& id, std::uint32_t first_day, GlobalPosition end,
                                             EventSource& events) const;

 private:
  const Tail& tail_;
  const Index& index_;
  std::uint64_t seed_;
  SipKey id_key_;
};

}  // namespace cairn
