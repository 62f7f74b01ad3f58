#include "projections/runner/paced_take.h"

#include <chrono>
#include <optional>

namespace cairn {

Status take_paced(const GenerationTools& tools, Generation& generation, const EventBatch& batch,
                  BatchPace& pace, SaveChanges save) {
  const std::uint64_t positions = batch.to().value - batch.after().value;
  const auto began = std::chrono::steady_clock::now();
  Status status;
  {
    std::optional<Interruption::Step> step;
    if (positions > 1) step.emplace(*tools.interruption);  // One position cannot be divided.
    status = generation.take(batch);
    if (status && save == SaveChanges::kYes && generation.has_changes()) status = generation.save();
  }
  if (!status) {
    if (status.error().code == Errc::kCancelled) pace.interrupted(positions);
    CAIRN_CHECK(generation.reset());
    return status;
  }
  const auto took = std::chrono::steady_clock::now() - began;
  pace.applied(positions, std::chrono::duration_cast<std::chrono::milliseconds>(took),
               tools.options.batch_positions_max);
  return {};
}

}  // namespace cairn
