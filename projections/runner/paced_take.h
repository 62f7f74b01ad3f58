#pragma once

#include "eventstore/base/result.h"
#include "projections/generation/generation.h"
#include "projections/runner/batch_pace.h"

namespace cairn {

enum class SaveChanges : bool { kNo, kYes };

// Applies a batch to a generation, with kYes also saves the changed rows (Generation::save()), and tells `pace` how
// long it took. kCancelled: it was interrupted, because a command waits, because it took long, or because the daemon
// stops; the caller repeats it with a batch as short as `pace` says. After a failure the generation is as queries see
// it. REQUIRES: as Generation::take().
Status take_paced(const GenerationTools& tools, Generation& generation, const EventBatch& batch,
                  BatchPace& pace, SaveChanges save);

}  // namespace cairn
