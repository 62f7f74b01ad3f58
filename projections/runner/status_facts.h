#pragma once

#include <cstdint>
#include <optional>

#include "eventstore/base/clock.h"
#include "eventstore/event_store.h"
#include "projections/readmodel/read_model.h"

namespace cairn {

// 0 when `to` comes first.
double seconds_between(Timestamp from, Timestamp to);

// How long ago an event was appended; 0 when it cannot be read.
double age_of(EventStore& store, GlobalPosition position, Timestamp now);

struct ParkedCount {
  std::uint64_t keys = 0;
  std::uint64_t events = 0;
  std::optional<Timestamp> oldest;
};

// As far as it can be read.
ParkedCount count_parked(ReadModel& model);

}  // namespace cairn
