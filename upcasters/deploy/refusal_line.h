#pragma once

#include "eventstore/base/log_event.h"
#include "upcasters/deploy/deployer.h"

namespace cairn {

// The line of the log about an upcaster that was refused: type and versions, where they are known, and why; for
// an upcaster that fails on events also how many, and the position of the first.
LogEvent refusal_line(const UpcasterDraft& draft, const DeployRefusal& refusal);

}  // namespace cairn
