#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "projections/generation/generation.h"
#include "projections/runner/audit.h"
#include "projections/runner/projection_folder.h"

namespace cairn {

// Compiles the projection `name` from a source that an earlier generation was built with. nullptr when that
// source does not load any more.
using ProjectionMaker = std::function<std::shared_ptr<const Projection>(
    const std::string& name, const std::string& fingerprint, const std::string& source)>;

// What the parts of a runner work with. All of it outlives them.
struct RunnerTools {
  GenerationTools generations;
  ProjectionAudit& audit;
  ProjectionMaker make;

  const DaemonOptions& options() const { return generations.options; }
  LogReader& log() const { return generations.source.log(); }
  Timestamp now() const { return options().clock(); }

  void log_line(const LogEvent& event) const { log_to(options().on_log, event); }
  // Names a point in the protocol of writes, where tests end the process.
  void at(std::string_view point) const {
    if (options().at_point) options().at_point(point);
  }
};

// The definition that a projection follows from now on.
struct RunnerDefinition {
  std::shared_ptr<const Projection> projection;
  std::string source;  // empty for a native (C++) projection
  std::uint32_t revision = 0;
  bool keep_rows = false;  // continue with the existing rows instead of rebuilding them
};

// The generations of one projection: the live one, which queries read; the one being built beside it; and the
// previous ones, which rollback() returns to. The record on disk (projection.json) names them, and every
// change of roles is one atomic replacement of that record.
//
// Invariants:
//  1. The record names a generation as live only when all of it is durable.
//  2. A generation that takes over has read the log at least as far as the one it replaces.
//  3. A call that fails leaves the live generation, in memory and in the record, as it was.
//
// Not thread-safe: the runner calls it with its mutex held. Calls that drop a generation leave its files in
// place; the caller closes its own references first (a published view may hold one) and then calls sweep().
class GenerationSet {
 public:
  enum class Change : std::uint8_t { kNone, kRowsKept, kBuildStarted };

  // Opens the generations that the record in `folder` names. A damaged record, and generations that are
  // damaged or belong to another log, are dropped with a notice; apply_definition() then starts a build.
  static Result<GenerationSet> open(RunnerTools tools, const std::filesystem::path& folder,
                                    RunnerDefinition definition);

  const std::string& name() const { return definition_.projection->info().name; }
  const std::filesystem::path& path() const { return folder_.path(); }
  std::filesystem::path verify_folder() const { return folder_.verify_folder(); }
  const RunnerDefinition& definition() const { return definition_; }
  const ProjectionRecord& record() const { return folder_.record(); }

  const std::shared_ptr<Generation>& live() const { return live_; }          // nullptr = none yet
  const std::shared_ptr<Generation>& building() const { return building_; }  // nullptr = none
  std::vector<std::shared_ptr<Generation>> all() const;                      // the live one first

  // The fingerprint of schemas and upcasters that the live generation was started with; "" without one.
  std::string live_shapes() const;

  void set_definition(RunnerDefinition definition) { definition_ = std::move(definition); }

  // Starts a build when the definition differs from the one that was last applied, or adopts it for the
  // existing rows when it says so. After a failure (a full disk) it may be called again.
  Result<Change> apply_definition();

  // Applies the present definition, which was applied before, once more when the live rows are those of
  // another one and nothing is being built: after a rollback or a cancelled build.
  Result<Change> redeploy(bool keep_rows);

  // Starts a build with the present definition; the live generation keeps answering. A first build that is
  // under way starts again. kFailedPrecondition: a build is under way beside a live generation.
  Status start_build(std::optional<std::uint64_t> events_per_second_max);

  // kFailedPrecondition: nothing is being built, or there is no live generation to return to.
  Status cancel_build();

  // Makes the newest previous generation live again.
  // kFailedPrecondition: there is none, it cannot be opened, or a build is under way.
  Status rollback();

  // Commits the generation being built and makes it live.
  // REQUIRES: it has read the log at least as far as the live one.
  Status take_over();

  // Why the generation being built does not take over by itself, although it has caught up: it has parked
  // more keys than the live one. "" when nothing keeps it. See docs/decisions.md, on rebuilds that park more.
  std::string why_building_holds() const;

  // Writes to the record that the projection is paused, and why; nullopt: it runs.
  Status set_paused(std::optional<std::string> reason);

  Status commit_live() { return commit(*live_, "the live generation"); }
  Status commit_building() { return commit(*building_, "the generation being built"); }

  // The events that a definition of this projection skips.
  std::shared_ptr<const SkippedEvents> skipped(const Projection& projection) const;

  // Removes files that the record does not name.
  void sweep() { folder_.sweep(); }

  // Closes all generations and removes the folder of the projection.
  Status remove();

 private:
  GenerationSet(RunnerTools tools, ProjectionFolder folder, RunnerDefinition definition);

  std::shared_ptr<const Projection> code_of(const ProjectionRecord::Code& code) const;
  Status open_all();
  Result<std::shared_ptr<Generation>> open_generation(std::uint64_t number);
  Result<Change> keep_rows(ProjectionRecord next);
  Status create_building(ProjectionRecord next);
  Status commit(Generation& generation, std::string_view what);
  void check_live() const;

  RunnerTools tools_;
  ProjectionFolder folder_;
  RunnerDefinition definition_;
  std::shared_ptr<Generation> live_;
  std::shared_ptr<Generation> building_;
  std::shared_ptr<ReadModel> previous_;  // kept open: LMDB must not open one environment twice
};

// Failures that pass without a change by an operator. The runner retries them.
bool may_succeed_later(Errc code);

// kFailedPrecondition: the projection is in another state.
Error wrong_state(std::string why);

}  // namespace cairn
