#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "eventstore/base/mutex.h"
#include "projections/projection_status.h"
#include "projections/runner/generation_set.h"
#include "projections/runner/paced_take.h"
#include "projections/runner/position_waiters.h"
#include "projections/runner/projection_log.h"
#include "projections/runner/rebuild_throttle.h"
#include "projections/runner/redrive.h"
#include "projections/runner/rows_verifier.h"
#include "projections/runner/runner_view.h"
#include "projections/runner/shapes_mark.h"
#include "projections/runner/status_facts.h"

namespace cairn {

// Runs one projection: step() applies one batch of the log to each of its generations (GenerationSet) and to
// a verification under way (RowsVerifier), lets a finished build take over, and retries what may succeed
// later with backoff. Commands change what the next steps do.
//
// Invariants:
//  1. A batch is applied only while the projection is not closed, not faulted and not paused.
//  2. Rows are visible to queries only after their commit: waiters are woken for committed positions alone.
//  3. The position of the live rows never falls within one generation: what is ahead of the checkpoint is
//     committed before a pause and a stop, and read again at the start after a crash. That of the rows being
//     built does not fall until the process ends: what was applied and not committed may be applied again, and
//     the status keeps the position that it has shown.
//  4. A generation stops at the event that parks as many keys as it may (DaemonOptions::parked_keys_max), or
//     one more than an operator has accepted by resuming it. While another one is built, a live generation
//     waits there for it; otherwise the projection pauses.
//  5. A failure of any step leaves the live generation as it was committed; either a retry is scheduled or
//     the projection is faulted, never both.
//
//  6. A redrive has at most one bounded step (RedrivePace) in each step, beside the batch of the live generation.
//
// Thread-safe. Steps and commands exclude each other; a step that a command waits for ends early. status(),
// serving(), models(), visible() and verify_report() read the published view and never wait for a step.
// Lock order: mutex_, then the locks of waiters_, then published_mutex_.
class ProjectionRunner {
 public:
  struct Step {
    bool worked = false;                            // call it again
    std::optional<std::chrono::milliseconds> wait;  // nothing is due before this has passed
  };

  // Opens the projection in `folder` and applies the definition. A full disk does not fail it: the build is
  // then started by a later step.
  static Result<std::unique_ptr<ProjectionRunner>> open(RunnerTools tools,
                                                        const std::filesystem::path& folder,
                                                        RunnerDefinition definition);
  ~ProjectionRunner();

  Step step() CAIRN_EXCLUDES(mutex_);

  // Follows another definition from now on. Clears a fault: the new definition may not have it.
  void define(RunnerDefinition definition) CAIRN_EXCLUDES(mutex_);

  // See ProjectionDaemon. All fail with kFailedPrecondition in a state that does not allow them.
  Status rebuild(std::optional<std::uint64_t> events_per_second_max) CAIRN_EXCLUDES(mutex_);
  Status cancel() CAIRN_EXCLUDES(mutex_);
  Status rollback() CAIRN_EXCLUDES(mutex_);
  Status pause() CAIRN_EXCLUDES(mutex_);
  Status resume() CAIRN_EXCLUDES(mutex_);
  Status verify() CAIRN_EXCLUDES(mutex_);
  // The present definition was deployed once more. When the live rows are those of another one, after a
  // rollback or a cancelled build, it is applied again. False: they are its rows, or are being built.
  Result<bool> redeploy(bool keep_rows) CAIRN_EXCLUDES(mutex_);

  struct Retried {
    std::uint64_t keys = 0;      // tried
    std::uint64_t released = 0;  // no longer parked
    std::uint64_t events = 0;    // applied
  };
  // Retries what is parked at a key, on the calling thread, with steps between two parts of a key where much is
  // parked. kNotFound: nothing is parked at that key.
  Result<Retried> retry(const std::string& key) CAIRN_EXCLUDES(mutex_);
  // Writes to $audit that the event that failed at `key` is skipped, then retries the key. kFailedPrecondition: a
  // retry of the key is not finished, and the event that it stands at has not failed.
  Result<Retried> skip(const std::string& key, const std::string& reason, const RequestOrigin& origin)
      CAIRN_EXCLUDES(mutex_);

  // Begins to retry all that is parked, within the steps that follow, and writes that to $audit, with its outcome
  // when it ends. It goes on while the projection is paused, and ends when the projection is paused or rolled back
  // by command, gets another definition, or is closed. kFailedPrecondition: one is under way already, or the
  // projection is faulted.
  Result<RedriveReport> start_redrive(const RedriveOptions& options, const RequestOrigin& origin)
      CAIRN_EXCLUDES(mutex_);
  // Ends it; what was released stays released. kFailedPrecondition: none is under way.
  Status cancel_redrive() CAIRN_EXCLUDES(mutex_);
  // The redrive under way, or the last one since the start. Never waits for a step.
  std::optional<RedriveReport> redrive() const CAIRN_EXCLUDES(published_mutex_);
  // Logs that the projection is stalled, or no longer. Called every second; does not wait for a step.
  void watch() CAIRN_EXCLUDES(published_mutex_);

  // Commits what the build has gathered, and the position that queries were told. Called before a stop, so
  // that the next start need not do it again.
  void flush() CAIRN_EXCLUDES(mutex_);

  // No step does anything any more, and all waiters get false. `why` is written as the end of a redrive.
  void close(std::string_view why = "the projection was removed") CAIRN_EXCLUDES(mutex_);

  // REQUIRES: close() was called.
  Status remove_files() CAIRN_EXCLUDES(mutex_);

  ProjectionStatus status() const CAIRN_EXCLUDES(published_mutex_);
  std::optional<RowsVerification> verify_report() const { return verifier_.report(); }

  // The live generation, or with `partial` the one being built when there is no live one; else nullptr.
  std::shared_ptr<Generation> serving(bool partial) const CAIRN_EXCLUDES(published_mutex_);
  // The read models of the live generation and the one being built.
  std::vector<std::shared_ptr<ReadModel>> models() const CAIRN_EXCLUDES(published_mutex_);
  // The position of the live rows; 0 when there are none.
  GlobalPosition visible() const CAIRN_EXCLUDES(published_mutex_);
  PositionWaiters& waiters() { return waiters_; }

 private:
  // What readers see without waiting for a step.
  struct Published {
    RunnerView view;
    std::shared_ptr<Generation> live;
    std::shared_ptr<Generation> building;
    GlobalPosition building_position;  // the highest that was taken() at a publish()
    std::uint64_t live_parked = 0;
    std::uint64_t building_parked = 0;
    std::string live_shapes;  // see GenerationSet::live_shapes()
    std::optional<RedriveReport> redrive;
  };

  // A retry of one key, of which a part is done while mutex_ is held.
  struct KeyRetry {
    std::string key;
    RedrivePace pace = {};
    std::set<std::pair<std::uint64_t, ParkedPlace::By>> done = {};  // generation, key or stream
    Retried report = {};
  };

  // Where a generation stops because of what it has parked.
  struct ParkedLimit {
    std::uint64_t accepted = 0;             // so many parked keys do not stop it
    std::optional<GlobalPosition> stop_at;  // the event that parks the last key it may park, once known
  };

  ProjectionRunner(RunnerTools tools, GenerationSet generations);

  void start() CAIRN_EXCLUDES(mutex_);
  Timestamp now() const { return tools_.now(); }

  void recover_position() CAIRN_REQUIRES(mutex_);
  void try_definition() CAIRN_REQUIRES(mutex_);
  void build_started() CAIRN_REQUIRES(mutex_);
  Interruption& interruption() const { return *tools_.generations.interruption; }
  Step step_locked() CAIRN_REQUIRES(mutex_);
  Step step_generations() CAIRN_REQUIRES(mutex_);
  Result<Step> step_redrive() CAIRN_REQUIRES(mutex_);
  void end_redrive(std::string_view why) CAIRN_REQUIRES(mutex_);
  void redrive_ended() CAIRN_REQUIRES(mutex_);
  Result<std::optional<RetriedPlace::Outcome>> retry_part(KeyRetry& retry) CAIRN_REQUIRES(mutex_);
  Status follow_skips() CAIRN_REQUIRES(mutex_);
  Result<Retried> retry_rest(KeyRetry retry) CAIRN_EXCLUDES(mutex_);
  Result<bool> step_live() CAIRN_REQUIRES(mutex_);
  Result<bool> commit_position(GlobalPosition head, std::optional<std::chrono::milliseconds>& wait)
      CAIRN_REQUIRES(mutex_);
  Result<bool> step_building(GlobalPosition head) CAIRN_REQUIRES(mutex_);
  Status take_over() CAIRN_REQUIRES(mutex_);
  void build_ended() CAIRN_REQUIRES(mutex_);
  Result<std::shared_ptr<const EventBatch>> next_for_live() CAIRN_REQUIRES(mutex_);
  Result<std::shared_ptr<const EventBatch>> next_for_building() CAIRN_REQUIRES(mutex_);
  void read_ahead(const EventBatch& batch) CAIRN_REQUIRES(mutex_);
  std::uint64_t parked_max(const ParkedLimit& limit) const;
  bool is_at_limit(const Generation& generation, const ParkedLimit& limit) const;
  Result<bool> went_back(Generation& generation, ParkedLimit& limit) CAIRN_REQUIRES(mutex_);
  void commit_gathered() CAIRN_REQUIRES(mutex_);
  Status pause_at_limit(const Generation& generation) CAIRN_REQUIRES(mutex_);
  void accept_parked() CAIRN_REQUIRES(mutex_);
  Status apply_skips() CAIRN_REQUIRES(mutex_);
  void log_uncommitted(const Error& error) const CAIRN_REQUIRES(mutex_);
  ProjectionLog::TypeAt type_reader() const {
    return [this](GlobalPosition position) { return type_at(tools_.log(), position); };
  }
  void failed(const Error& error) CAIRN_REQUIRES(mutex_);
  void add_error(ProjectionError error) CAIRN_REQUIRES(mutex_);
  void publish() CAIRN_REQUIRES(mutex_) CAIRN_EXCLUDES(published_mutex_);
  Published published() const CAIRN_EXCLUDES(published_mutex_);

  const RunnerTools tools_;
  BatchSource::Reader live_reader_;
  BatchSource::Reader building_reader_;

  Mutex mutex_;  // held during a step or a command
  GenerationSet generations_ CAIRN_GUARDED_BY(mutex_);
  ProjectionLog log_;
  RowsVerifier verifier_;  // its report() is thread-safe; the rest needs mutex_
  std::optional<Redrive> redrive_ CAIRN_GUARDED_BY(mutex_);  // under way, or the last one
  RunnerView view_ CAIRN_GUARDED_BY(mutex_);                 // publish() completes and shows it
  bool closed_ CAIRN_GUARDED_BY(mutex_) = false;
  bool definition_pending_ CAIRN_GUARDED_BY(mutex_) = true;  // it was not applied yet
  unsigned attempts_ CAIRN_GUARDED_BY(mutex_) = 0;           // failures in a row
  std::optional<Timestamp> retry_at_ CAIRN_GUARDED_BY(mutex_);
  RebuildThrottle throttle_ CAIRN_GUARDED_BY(mutex_);
  Timestamp position_committed_at_ CAIRN_GUARDED_BY(mutex_);  // see DaemonOptions::publish_position_every
  BatchPace live_pace_ CAIRN_GUARDED_BY(mutex_);
  BatchPace building_pace_ CAIRN_GUARDED_BY(mutex_);
  ParkedLimit live_limit_ CAIRN_GUARDED_BY(mutex_);
  ParkedLimit building_limit_ CAIRN_GUARDED_BY(mutex_);
  bool skips_pending_ CAIRN_GUARDED_BY(mutex_) = true;  // parked events may be skipped ones

  mutable Mutex published_mutex_;
  Published published_ CAIRN_GUARDED_BY(published_mutex_);
  mutable ShapesMarkCache current_shapes_;
  PositionWaiters waiters_;
};

}  // namespace cairn
