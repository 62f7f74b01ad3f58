#pragma once

#include <array>

#include "eventstore/base/uuid.h"

namespace cairn {

// The 36 characters of an id in lower case, as Uuid::to_string() returns them, without an allocation.
std::array<char, 36> uuid_text(const Uuid& id);

}  // namespace cairn
