#pragma once

#include "eventstore/base/error.h"
#include "eventstore/types.h"
#include "upcasters/model/shape_fault.h"
#include "upcasters/model/shaped_event.h"

namespace cairn {

// The fault of a shaped event that could not be read: corruption if it was read with the schema it was
// written with, else that the newer schema cannot read the data.
ShapeFault unreadable(const EventView& stored, const ShapedEvent& part, const Error& error);

}  // namespace cairn
