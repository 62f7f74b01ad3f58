#pragma once

#include "eventstore/types.h"
#include "projections/projection.h"
#include "projections/readmodel/read_model.h"
#include "upcasters/model/shape_fault.h"

namespace cairn {

// The record of a failure that is kept with the parked event.
ParkedEvent parked_event(const EventView& event, const ShapeFault& fault, Timestamp now);
ParkedEvent parked_event(const EventView& event, const ShapedEvent& part, const ApplyFault& fault,
                         Timestamp now);

// Whether a retry in an empty Lua state, or on a less busy machine, could succeed: limits of memory and time.
bool deserves_second_chance(const ApplyFault& fault);

}  // namespace cairn
