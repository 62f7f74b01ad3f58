#pragma once

#include <optional>
#include <string>

#include "upcasters/chain/type_history.h"
#include "upcasters/model/upcaster.h"

namespace cairn {

// Why an upcaster has no place among the versions of its type.
struct StepRefusal {
  // A word for programs: unknown-type, unknown-version, wrong-target, cycle, fork, gap.
  std::string reason;
  std::string message;
};

// Nullopt when the upcaster can stand in the history: it leads from a version to the next, no other one leads
// elsewhere from there, and from where it ends every event can go on to the newest version.
std::optional<StepRefusal> check_step(const TypeHistory& history, const UpcasterHeader& header);

}  // namespace cairn
