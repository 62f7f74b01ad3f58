#include "projections/beside/read_only_daemon.h"

#include <atomic>
#include <map>
#include <utility>

#include "eventstore/base/mutex.h"
#include "projections/beside/read_only_projection.h"
#include "projections/daemon/daemon_errors.h"
#include "projections/daemon/folder_lock.h"
#include "projections/daemon/parked_view.h"
#include "projections/daemon/row_view.h"
#include "projections/runner/position_waiters.h"
#include "projections/runner/projection_log.h"
#include "projections/runner/shapes_mark.h"
#include "projections/runner/status_facts.h"
#include "projections/script_projection.h"
#include "projections/task_pool.h"

namespace cairn {

namespace {

namespace fs = std::filesystem;

// There is no notification of another process's commits. While a client waits for a position, the checkpoint
// is polled this often.
constexpr std::chrono::milliseconds kPollEvery{5};

// How often definitions are read from the log that were not deployed through this object.
constexpr std::chrono::milliseconds kDefinitionsTick{1'000};

// A projection, with the clients that wait for its positions. Thread-safe.
struct Known {
  Known(std::string title, SharedModels& models, const fs::path& folder, const std::string& store_id,
        ReadOnlyProjection::Maker make, const LogSink& on_log)
      : name(std::move(title)),
        projection(models, folder / name, store_id, std::move(make)),
        log(on_log, name) {}

  GlobalPosition position() {
    const auto view = projection.view();
    if (!view->live) return {};
    const auto checkpoint = view->live->model->checkpoint();
    return checkpoint ? *checkpoint : GlobalPosition{};
  }

  // When the checkpoint was last seen to change.
  Timestamp moved_at(GlobalPosition position, Timestamp now) CAIRN_EXCLUDES(mutex) {
    const MutexLock lock(mutex);
    if (position != seen || seen_at.micros == 0) {
      seen = position;
      seen_at = now;
    }
    return seen_at;
  }

  const std::string name;
  ReadOnlyProjection projection;
  PositionWaiters waiters;
  ProjectionLog log;
  std::atomic<bool> polling{false};

  Mutex mutex;
  GlobalPosition seen CAIRN_GUARDED_BY(mutex);
  Timestamp seen_at CAIRN_GUARDED_BY(mutex);
};

class ReadOnlyDaemon final : public ReadModels {
 public:
  ReadOnlyDaemon(EventStore& store, EventShapes& shapes, fs::path folder, DaemonOptions options)
      : log_(store),
        shapes_(shapes),
        options_(std::move(options)),
        folder_(std::move(folder)),
        definitions_(store, options_.projections_max),
        pool_(1) {}

  ~ReadOnlyDaemon() override { stop(); }

  // Adds and removes projections as $definitions says.
  Status sync() CAIRN_EXCLUDES(sync_mutex_, mutex_) {
    const MutexLock one_at_a_time(sync_mutex_);
    CAIRN_CHECK(definitions_.catch_up());
    std::map<std::string, Shared> wanted;
    for (const ProjectionDefinition& definition : definitions_.all()) {
      wanted.emplace(definition.name, find_or_make(definition.name));
    }
    for (const std::string& name : native_names()) wanted.emplace(name, find_or_make(name));
    {
      const WriterLock lock(mutex_);
      known_.swap(wanted);
    }
    for (const auto& [name, known] : wanted) {
      if (find(name) != known) known->waiters.close();
    }
    return {};
  }

  void start() override { tick(); }

  void stop() override {
    if (stopped_.exchange(true)) return;
    pool_.stop();
    for (const Shared& known : all()) known->waiters.close();
  }

  Status add(std::shared_ptr<const Projection> projection) override {
    const std::string name = projection->info().name;
    if (find(name) != nullptr) return projection_exists(name);
    {
      const WriterLock lock(mutex_);
      native_.emplace(name, std::move(projection));
    }
    return sync();
  }

  Result<ProjectionDeployment, ProjectionRefusal> deploy(const ProjectionDraft& draft) override {
    CAIRN_CHECK(check_not_native(draft.name));
    CAIRN_TRY(ProjectionDeployment deployment, definitions_.deploy(draft));
    CAIRN_CHECK(sync());
    return deployment;
  }

  Status remove(const std::string& name, const RequestOrigin& origin) override {
    CAIRN_CHECK(check_not_native(name));
    if (find(name) == nullptr) return no_projection(name);
    CAIRN_CHECK(definitions_.remove(name, origin));
    return sync();
  }

  std::vector<ProjectionStatus> list() const override {
    std::vector<ProjectionStatus> found;
    for (const Shared& known : all()) found.push_back(show_status(*known));
    return found;
  }

  std::optional<ProjectionStatus> status(const std::string& name) const override {
    const Shared known = find(name);
    if (known == nullptr) return std::nullopt;
    return show_status(*known);
  }

  std::optional<ProjectionDefinition> definition(const std::string& name) const override {
    return definitions_.find(name);
  }

  Result<RowAnswer> row(const std::string& name, const std::string& key, bool partial) override {
    CAIRN_TRY(const Serving serving, serve(name, partial));
    CAIRN_TRY(RowAnswer answer, read_row(*serving.generation->model, *serving.generation->projection, key));
    answer.partial = serving.is_partial;
    return answer;
  }

  Result<RowsAnswer> rows(const std::string& name, const RowsQuery& query) override {
    CAIRN_TRY(const Serving serving, serve(name, query.partial));
    CAIRN_TRY(RowsAnswer answer,
              read_rows(*serving.generation->model, *serving.generation->projection, query));
    answer.partial = serving.is_partial;
    return answer;
  }

  void wait_for(const std::string& name, GlobalPosition position, std::chrono::milliseconds timeout,
                std::function<void(bool)> done) override {
    const Shared known = find(name);
    if (known == nullptr) return done(false);
    const auto ticket = known->waiters.add(
        position, [&] { return known->position(); }, std::move(done));
    if (ticket == 0) return;
    pool_.post_after(timeout, [known, ticket] { known->waiters.give_up(ticket); });
    poll(known);
  }

  Result<ParkedList> parked(const std::string& name, const std::string& after, std::size_t limit) override {
    CAIRN_TRY(const auto models, models_of(name));
    return parked_list(models, after, limit);
  }

  Result<std::vector<ParkedKeyDetail>> parked_key(const std::string& name, const std::string& key) override {
    CAIRN_TRY(const auto models, models_of(name));
    return parked_details(models, key);
  }

 private:
  using Shared = std::shared_ptr<Known>;
  struct Serving {
    std::shared_ptr<const ReadOnlyView> view;  // owns the generation
    const ReadOnlyGeneration* generation = nullptr;
    bool is_partial = false;
  };

  Shared find(const std::string& name) const {
    const ReaderLock lock(mutex_);
    const auto found = known_.find(name);
    return found == known_.end() ? nullptr : found->second;
  }

  std::vector<Shared> all() const {
    const ReaderLock lock(mutex_);
    std::vector<Shared> found;
    for (const auto& [name, known] : known_) found.push_back(known);
    return found;
  }

  std::vector<std::string> native_names() const CAIRN_EXCLUDES(mutex_) {
    const ReaderLock lock(mutex_);
    std::vector<std::string> names;
    for (const auto& [name, projection] : native_) names.push_back(name);
    return names;
  }

  Shared find_or_make(const std::string& name) {
    if (Shared known = find(name)) return known;
    return std::make_shared<Known>(
        name, models_, folder_, log_.store_id(), [this, name](const auto& code) { return make(name, code); },
        options_.on_log);
  }

  Status check_not_native(const std::string& name) const CAIRN_EXCLUDES(mutex_) {
    const ReaderLock lock(mutex_);
    if (native_.contains(name)) return native_projection(name);
    return {};
  }

  // nullptr when this program does not have the native projection, or its script does not load.
  std::shared_ptr<const Projection> make(const std::string& name, const ProjectionRecord::Code& code) const {
    if (code.source.empty()) {
      const ReaderLock lock(mutex_);
      const auto native = native_.find(name);
      return native == native_.end() ? nullptr : native->second;
    }
    ProjectionDefinition definition;
    definition.name = name;
    definition.fingerprint = code.fingerprint;
    definition.source = code.source;
    const auto made = make_script_projection(definition, options_.log);
    return made ? *made : nullptr;
  }

  Result<Serving> serve(const std::string& name, bool partial) const {
    const Shared known = find(name);
    if (known == nullptr) return no_projection(name);
    Serving serving{known->projection.view(), nullptr, false};
    const ReadOnlyView& view = *serving.view;
    if (view.live) {
      serving.generation = &*view.live;
    } else if (partial && view.building) {
      serving.generation = &*view.building;
      serving.is_partial = true;
    } else {
      return view.fault.empty() ? rows_being_built(name) : make_error(Errc::kFailedPrecondition, view.fault);
    }
    return serving;
  }

  Result<std::vector<std::shared_ptr<ReadModel>>> models_of(const std::string& name) const {
    const Shared known = find(name);
    if (known == nullptr) return no_projection(name);
    const auto view = known->projection.view();
    std::vector<std::shared_ptr<ReadModel>> models;
    if (view->live) models.push_back(view->live->model);
    if (view->building) models.push_back(view->building->model);
    return models;
  }

  // Facts that only the builder knows (its speed, its errors since the start) are left out.
  ProjectionStatus show_status(Known& known) const {
    const Timestamp now = options_.clock();
    const auto seen = known.projection.view();
    const ProjectionRecord& record = seen->record;
    const auto definition = definitions_.find(known.name);
    StatusFacts facts;
    RunnerView view;
    view.name = known.name;
    view.builder = FolderLock::is_held(folder_) ? Builder::kAnotherProcess : Builder::kNone;
    view.definition_pending = definition && record.definition != definition->fingerprint;
    view.revision = definition ? definition->revision : 0;
    if (!record.previous.empty()) view.previous = record.previous.front();
    view.events_per_second_max = record.events_per_second_max;
    view.paused = record.paused;
    view.fault = seen->fault;
    view.moved_at = known.moved_at(known.position(), now);
    if (seen->live) {
      facts.live = facts_of(*seen->live);
      const ProjectionInfo& info = seen->live->projection->info();
      view.fingerprint = info.fingerprint;
      facts.outdated = shapes_mark(shapes_, info.from.types) != seen->live->shapes;
    }
    if (seen->building) facts.building = facts_of(*seen->building);
    facts.head = log_.head();  // Read last: no commit seen before is ahead of it.
    const GlobalPosition position = facts.live ? facts.live->position : GlobalPosition{};
    if (facts.head > position) facts.next_event_at = appended_at(log_, {position.value + 1});
    return status_of(view, facts, now, options_.stalled_after);
  }

  static ReadModelFacts facts_of(const ReadOnlyGeneration& generation) {
    const auto checkpoint = generation.model->checkpoint();
    ReadModelFacts facts = cairn::facts_of(*generation.model, checkpoint ? *checkpoint : GlobalPosition{});
    add_parked(facts, *generation.model);
    return facts;
  }

  // Polls the checkpoint for as long as a client waits.
  void poll(const Shared& known) {
    if (known->polling.exchange(true)) return;
    pool_.post_after(kPollEvery, [this, known] {
      known->polling = false;
      known->waiters.reached(known->position());
      if (!known->waiters.is_empty()) poll(known);
    });
  }

  void tick() {
    if (Status status = sync(); !status)
      log_unread_definitions(options_.on_log, status.error(), sync_failures_, options_.clock());
    const auto type_of = [this](GlobalPosition position) { return type_at(log_, position); };
    for (const Shared& known : all()) known->log.watched(show_status(*known), type_of, options_.clock());
    pool_.post_after(kDefinitionsTick, [this] { tick(); });
  }

  LogReader& log_;
  EventShapes& shapes_;
  const DaemonOptions options_;
  const fs::path folder_;  // readmodels
  ProjectionDefinitions definitions_;
  SharedModels models_;
  LogThrottle sync_failures_;  // the pool's
  TaskPool pool_;

  Mutex sync_mutex_;  // held while the set of projections changes; taken before mutex_

  mutable SharedMutex mutex_;
  std::map<std::string, std::shared_ptr<const Projection>> native_ CAIRN_GUARDED_BY(mutex_);
  std::map<std::string, Shared> known_ CAIRN_GUARDED_BY(mutex_);
  std::atomic<bool> stopped_{false};
};

}  // namespace

Result<std::unique_ptr<ReadModels>> open_read_only_daemon(EventStore& store, EventShapes& shapes,
                                                          const fs::path& folder, DaemonOptions options) {
  auto daemon = std::make_unique<ReadOnlyDaemon>(store, shapes, folder / "readmodels", std::move(options));
  CAIRN_CHECK(daemon->sync());
  return std::unique_ptr<ReadModels>(std::move(daemon));
}

}  // namespace cairn
