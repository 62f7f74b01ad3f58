#pragma once

#include <cstddef>

#include "eventstore/base/result.h"
#include "eventstore/types.h"

namespace cairn {

// Checks a request as far as that needs no store: names, counts, sizes, duplicate ids. Returns the bytes it
// will take in a block, or kInvalidArgument / kTooLarge with a message that names the field. Pure.
Result<std::size_t> validate(const AppendRequest& request);

}  // namespace cairn
