#pragma once

#include <string>

#include "schemaregistry/compatibility/compatibility.h"

namespace cairn {

// Who is to read whom: backward, the new schema reads what the old one wrote; forward, the other way round.
enum class CompatibilityDirection { kBackward, kForward };

// A finding in the words Confluent's registry uses, which clients and build plugins show, and sometimes
// search:
// "{errorType:'TYPE_MISMATCH', description:'The type (path '/items') of a field in the new schema does not
// match …".
std::string confluent_message(const Incompatibility& finding, CompatibilityDirection direction);

}  // namespace cairn
