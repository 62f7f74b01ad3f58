#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "eventstore/base/clock.h"
#include "eventstore/log_reader.h"
#include "projections/readmodel/read_model.h"
#include "projections/runner/runner_view.h"

namespace cairn {

// These read the facts that status_of() needs from a read model and the log. What cannot be read counts as 0.

// Generation, rows and bytes; what is parked is left out.
ReadModelFacts facts_of(ReadModel& model, GlobalPosition position);

// Counts what is parked on disk.
void add_parked(ReadModelFacts& facts, ReadModel& model);

// When the event at a position was appended; nullopt when it cannot be read.
std::optional<Timestamp> appended_at(LogReader& log, GlobalPosition position);

// The type of the event at a position; empty when it cannot be read.
std::string type_at(LogReader& log, GlobalPosition position);

}  // namespace cairn
