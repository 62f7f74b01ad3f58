#pragma once

#include "eventstore/types.h"
#include "projections/projection.h"
#include "projections/readmodel/read_model.h"
#include "upcasters/model/shape_fault.h"

namespace cairn {

// What is kept of a failure with the event that is parked for it.
ParkedEvent parked_event(const EventView& event, const ShapeFault& fault, Timestamp now);
ParkedEvent parked_event(const EventView& event, const ShapedEvent& part, const ApplyFault& fault,
                         Timestamp now);

// Whether the same could go well in a state that holds nothing else, or on a machine that is less busy.
bool deserves_second_chance(const ApplyFault& fault);

}  // namespace cairn
