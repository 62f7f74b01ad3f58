#pragma once

#include "eventstore/base/error.h"
#include "eventstore/types.h"
#include "upcasters/model/shape_fault.h"
#include "upcasters/model/shaped_event.h"

namespace cairn {

// What it means that reading a shaped event failed: damage when it was read as it was written, else that the
// newer schema cannot read the data.
ShapeFault unreadable(const EventView& stored, const ShapedEvent& part, const Error& error);

}  // namespace cairn
