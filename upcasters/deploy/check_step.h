#pragma once

#include <string>

#include "eventstore/base/result.h"
#include "eventstore/base/work_budget.h"
#include "upcasters/chain/type_history.h"
#include "upcasters/model/upcaster.h"

namespace cairn {

// Why an upcaster does not fit the versions of its type.
struct StepRefusal {
  // A word for programs: unknown-type, unknown-version, wrong-target, cycle, fork, gap.
  std::string reason;
  std::string message;
};

// Succeeds when the upcaster fits the history: it leads from a version to the next one, no other upcaster leads
// elsewhere from there, and every event can continue from its target version to the newest one. Comparisons are
// charged to `budget`, unless that is nullptr; the result means nothing once it has ended.
Result<void, StepRefusal> check_step(const TypeHistory& history, const UpcasterHeader& header,
                                     WorkBudget* budget = nullptr);

}  // namespace cairn
