#pragma once

#include <string>

#include "schemaregistry/compatibility/compatibility.h"

namespace cairn {

// Which schema reads: backward, the new schema reads data of the old one; forward, the old one reads data of
// the new.
enum class CompatibilityDirection { kBackward, kForward };

// A finding in the words of Confluent's registry, which clients and build plugins show and sometimes parse:
//   {errorType:'TYPE_MISMATCH', description:'The type (path '/items') of a field in the new schema does not …
std::string confluent_message(const Incompatibility& finding, CompatibilityDirection direction);

}  // namespace cairn
