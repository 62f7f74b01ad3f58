#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "projections/generation/generation.h"
#include "projections/projection_status.h"
#include "projections/runner/audit.h"
#include "projections/runner/event_rate.h"
#include "projections/runner/position_waiters.h"
#include "projections/runner/projection_folder.h"

namespace cairn {

// Makes the projection of a name from the source it once had; for generations older than the definition.
using ProjectionMaker = std::function<std::shared_ptr<const Projection>(
    const std::string& name, const std::string& fingerprint, const std::string& source)>;

struct RunnerTools {
  GenerationTools generations;
  ProjectionAudit& audit;
  ProjectionMaker make;
};

// What a projection is to be from now on.
struct RunnerDefinition {
  std::shared_ptr<const Projection> projection;
  std::string source;  // empty for one of the program's own
  std::uint32_t revision = 0;
  bool keep_rows = false;  // go on with the rows there are, instead of building them anew
};

// One projection: the generation that is queried, the one being built beside it, and how one takes the
// other's place. step() takes each of them one batch further. Any thread: what changes something waits for
// the step under way, what only looks does not.
//
// What holds:
//  1. The record on disk names a generation as live only when all of it is durable.
//  2. When a generation takes over, it has the log at least as far as the one before.
//  3. Whatever fails leaves the generation that is queried as it was.
class ProjectionRunner {
 public:
  struct Step {
    bool worked = false;
    std::optional<std::chrono::milliseconds> wait;  // there is nothing to do before
  };

  // Opens what is in the folder. What is damaged or belongs to another log is built anew.
  static Result<std::unique_ptr<ProjectionRunner>> open(RunnerTools tools, std::filesystem::path folder,
                                                        RunnerDefinition definition);
  ~ProjectionRunner();

  Step step();

  void define(RunnerDefinition definition);

  Status rebuild(std::optional<std::uint64_t> events_per_second_max);
  Status cancel();
  Status rollback();
  Status pause();
  Status resume();
  Status verify();

  // Retries the places of a key, or all. Returns {keys, released, events}.
  struct Retried {
    std::uint64_t keys = 0;
    std::uint64_t released = 0;
    std::uint64_t events = 0;
  };
  Result<Retried> retry(const std::optional<std::string>& key);
  Result<Retried> skip(const std::string& key, const std::string& reason);

  // Commits what the generation being built has gathered, so that it need not be done again, and the place
  // in the log that readers in other processes wait for.
  void flush();

  // Ends it for good: no step does anything any more, and nobody waits.
  void close();
  Status remove_files();

  ProjectionStatus status() const;
  std::optional<RowsVerification> verify_report() const;

  // The generation that is queried; with `partial` the one being built when there is no other. nullptr when
  // there is none.
  std::shared_ptr<Generation> serving(bool partial) const;
  // Of all generations that may have something parked.
  std::vector<std::shared_ptr<ReadModel>> models() const;
  GlobalPosition visible() const;
  PositionWaiters& waiters() { return waiters_; }

 private:
  // What looking at it needs, without waiting for a step.
  struct View {
    std::shared_ptr<Generation> live;
    std::shared_ptr<Generation> building;
    std::optional<std::string> paused;
    std::string fault;  // why it cannot go on
    std::string retrying;
    std::string holds;
    std::uint64_t live_parked = 0;
    std::uint64_t building_parked = 0;
    std::optional<std::uint64_t> previous;
    std::optional<std::uint64_t> events_per_second_max;
    EventRate live_rate;
    EventRate building_rate;
    Timestamp moved_at;  // when it last got further
    std::uint64_t retries = 0;
    std::optional<ProjectionError> first_error;
    std::optional<ProjectionError> last_error;
    std::string fingerprint;  // of the live one
    std::string shapes;       // its shapes_mark()
    std::uint32_t revision = 0;
    std::optional<RowsVerification> report;
  };

  ProjectionRunner(RunnerTools tools, ProjectionFolder folder, RunnerDefinition definition);

  const std::string& name() const { return definition_.projection->info().name; }
  EventStore& store() const { return tools_.generations.source.store(); }
  Timestamp now() const { return tools_.generations.options.clock(); }
  void notice(const std::string& message) const;
  void at(std::string_view point) const;

  // All of these REQUIRE: mutex_ is held.
  Status open_generations();
  Result<std::shared_ptr<Generation>> open_generation(std::uint64_t number);
  std::shared_ptr<const Projection> code_of(const ProjectionRecord::Code& code) const;
  void try_definition();
  Status act_on_definition();
  Status begin_building(ProjectionRecord record);
  void drop_building();
  Step step_locked();
  Result<bool> step_live();
  Result<bool> publish_position(GlobalPosition head, std::optional<std::chrono::milliseconds>& wait);
  Result<bool> step_building(GlobalPosition head);
  Result<bool> step_verify();
  Status commit(Generation& generation, std::string_view what);
  Status take_over();
  Result<std::shared_ptr<const EventBatch>> next_for_building();
  void read_ahead(const EventBatch& batch);
  bool check_parked_limit(const Generation& generation);
  void accept_parked();
  std::string why_it_holds() const;
  void failed(const Error& error);
  void publish();
  void refresh_skipped();

  bool is_outdated(const View& view) const;

  const RunnerTools tools_;

  std::mutex mutex_;  // held while a step is under way
  ProjectionFolder folder_;
  RunnerDefinition definition_;
  std::shared_ptr<Generation> live_;
  std::shared_ptr<Generation> building_;
  std::shared_ptr<ReadModel> previous_;  // stays open, so that it is not opened twice
  std::unique_ptr<Generation> shadow_;
  BatchSource::Seat live_seat_;
  BatchSource::Seat building_seat_;
  bool closed_ = false;
  std::string fault_;
  unsigned attempts_ = 0;
  std::optional<Timestamp> retry_at_;
  Timestamp throttle_since_;
  std::uint64_t throttled_ = 0;        // positions taken since then
  Timestamp published_at_;             // see DaemonOptions::publish_position_every
  std::uint64_t parked_accepted_ = 0;  // keys that were parked when somebody last let it go on
  bool definition_pending_ = true;     // it was not acted upon yet

  mutable std::mutex mark_mutex_;
  mutable std::string mark_;  // shapes_mark() as of these changes
  mutable std::uint64_t mark_changes_ = 0;
  mutable std::uint64_t mark_generation_ = 0;

  mutable std::mutex view_mutex_;
  View view_;
  PositionWaiters waiters_;
};

}  // namespace cairn
