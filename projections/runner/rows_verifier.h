#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "eventstore/base/mutex.h"
#include "projections/generation/generation.h"
#include "projections/projection_status.h"
#include "projections/runner/batch_pace.h"

namespace cairn {

// Checks the rows of a live generation against the log: builds them a second time in a folder of its own (the
// shadow build), and compares both row by row. The live generation is only read. A failure ends the
// verification and is in its report; it never stops the projection.
//
// start(), step() and stop() belong to one thread at a time (the runner's mutex is held); report() may be
// called by any thread.
class RowsVerifier {
 public:
  // REQUIRES: the tools outlive it.
  explicit RowsVerifier(const GenerationTools& tools) : tools_(tools) {}

  // Starts a shadow build in `folder`, which is emptied first and removed at the end.
  // Fails as LmdbReadModel::create() and Generation::open() do; then nothing runs.
  // REQUIRES: !runs().
  Status start(const Generation& live, std::filesystem::path folder,
               std::shared_ptr<const SkippedEvents> skipped);

  bool runs() const { return shadow_ != nullptr; }

  // Applies one batch to the shadow build; when it has caught up with `live`, compares all rows and ends.
  // REQUIRES: runs(), and everything `live` has taken in is committed.
  void step(const Generation& live);

  // Follows a newer list of skipped events. Nothing happens when none runs.
  void follow_skipped(std::shared_ptr<const SkippedEvents> skipped);

  // Ends the verification under way as failed, for this reason. Nothing happens when none runs.
  void stop(std::string_view why);

  // The last verification, finished or not; nullopt when none was started.
  std::optional<RowsVerification> report() const CAIRN_EXCLUDES(mutex_);

 private:
  Status build(const Generation& live);
  Result<RowsVerification> compare(const Generation& live);
  void fail(std::string_view why);
  void end(RowsVerification result);
  void publish(RowsVerification report) CAIRN_EXCLUDES(mutex_);

  const GenerationTools tools_;
  std::filesystem::path folder_;
  std::unique_ptr<Generation> shadow_;
  BatchPace pace_;

  mutable Mutex mutex_;
  std::optional<RowsVerification> report_ CAIRN_GUARDED_BY(mutex_);
};

}  // namespace cairn
