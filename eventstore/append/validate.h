#pragma once

#include <cstddef>

#include "eventstore/base/result.h"
#include "eventstore/types.h"

namespace cairn {

// Checks what can be checked of a request without looking at the store: names, counts, sizes, ids that stand
// twice. Returns the bytes it will take, or kInvalidArgument / kTooLarge with a message that names the field.
// Pure.
Result<std::size_t> validate(const AppendRequest& request);

}  // namespace cairn
