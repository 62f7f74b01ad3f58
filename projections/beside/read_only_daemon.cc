#include "projections/beside/read_only_daemon.h"

#include <atomic>
#include <map>
#include <mutex>
#include <shared_mutex>
#include <utility>

#include "projections/beside/built_projection.h"
#include "projections/beside/built_status.h"
#include "projections/daemon/daemon_errors.h"
#include "projections/daemon/folder_lock.h"
#include "projections/daemon/parked_view.h"
#include "projections/daemon/row_view.h"
#include "projections/runner/position_waiters.h"
#include "projections/script_projection.h"
#include "projections/task_pool.h"

namespace cairn {

namespace {

namespace fs = std::filesystem;

// Another process tells nobody when it commits. While somebody waits, the checkpoint is looked at this often.
constexpr std::chrono::milliseconds kPollEvery{5};

// Definitions that came into the log in another way than through here.
constexpr std::chrono::milliseconds kDefinitionsTick{1'000};

Error built_elsewhere() {
  return make_error(Errc::kFailedPrecondition,
                    "this server answers from read models that `cairn project` builds, and cannot do that "
                    "itself: stop `cairn project` and start the server with --projections on");
}

// A projection, with those who wait for it.
struct Known {
  Known(std::string title, SharedModels& models, const fs::path& folder, const std::string& store_id,
        BuiltProjection::Maker make)
      : name(std::move(title)), built(models, folder / name, store_id, std::move(make)) {}

  GlobalPosition position() {
    const auto view = built.look();
    if (!view->live) return {};
    const auto checkpoint = view->live->model->checkpoint();
    return checkpoint ? *checkpoint : GlobalPosition{};
  }

  // When the checkpoint was last seen to be another one.
  Timestamp moved_at(GlobalPosition position, Timestamp now) {
    const std::lock_guard lock(mutex);
    if (position != seen || seen_at.micros == 0) {
      seen = position;
      seen_at = now;
    }
    return seen_at;
  }

  const std::string name;
  BuiltProjection built;
  PositionWaiters waiters;
  std::atomic<bool> polling{false};

  std::mutex mutex;
  GlobalPosition seen;
  Timestamp seen_at;
};

class ReadOnlyDaemon final : public ProjectionDaemon {
 public:
  ReadOnlyDaemon(EventStore& store, EventShapes& shapes, fs::path folder, DaemonOptions options)
      : store_(store),
        shapes_(shapes),
        options_(std::move(options)),
        folder_(std::move(folder)),
        definitions_(store),
        pool_(1) {}

  ~ReadOnlyDaemon() override { stop(); }

  Status sync() {
    const std::lock_guard one_at_a_time(sync_mutex_);
    CAIRN_CHECK(definitions_.catch_up());
    std::map<std::string, Shared> wanted;
    for (const ProjectionDefinition& definition : definitions_.all()) {
      wanted.emplace(definition.name, find_or_make(definition.name));
    }
    for (const auto& [name, projection] : own_) wanted.emplace(name, find_or_make(name));
    {
      const std::unique_lock lock(mutex_);
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

  // Others build; this only lets those go on who wait for it.
  bool run_once() override {
    for (const Shared& known : all()) known->waiters.reached(known->position());
    return false;
  }

  Status add(std::shared_ptr<const Projection> projection) override {
    const std::string name = projection->info().name;
    if (find(name) != nullptr) return projection_exists(name);
    {
      const std::lock_guard one_at_a_time(sync_mutex_);
      own_.emplace(name, std::move(projection));
    }
    return sync();
  }

  ProjectionOutcome deploy(const ProjectionDraft& draft) override {
    if (Status status = check_not_own(draft.name); !status) return ProjectionRefusal(status.error());
    ProjectionOutcome outcome = definitions_.deploy(draft);
    if (std::holds_alternative<ProjectionDeployment>(outcome)) {
      if (Status status = sync(); !status) return ProjectionRefusal(status.error());
    }
    return outcome;
  }

  Status remove(const std::string& name) override {
    CAIRN_CHECK(check_not_own(name));
    if (find(name) == nullptr) return no_projection(name);
    CAIRN_CHECK(definitions_.remove(name));
    return sync();
  }

  std::vector<ProjectionStatus> list() const override {
    std::vector<ProjectionStatus> found;
    for (const Shared& known : all()) found.push_back(status_of(*known));
    return found;
  }

  std::optional<ProjectionStatus> status(const std::string& name) const override {
    const Shared known = find(name);
    if (known == nullptr) return std::nullopt;
    return status_of(*known);
  }

  std::optional<ProjectionDefinition> definition(const std::string& name) const override {
    return definitions_.find(name);
  }

  Result<ProjectionStatus> rebuild(const std::string& name, std::optional<std::uint64_t>) override {
    return refuse(name);
  }
  Result<ProjectionStatus> cancel(const std::string& name) override { return refuse(name); }
  Result<ProjectionStatus> rollback(const std::string& name) override { return refuse(name); }
  Result<ProjectionStatus> pause(const std::string& name) override { return refuse(name); }
  Result<ProjectionStatus> resume(const std::string& name) override { return refuse(name); }
  Result<ProjectionStatus> verify(const std::string& name) override { return refuse(name); }
  Result<RetryReport> retry(const std::string& name, const std::optional<std::string>&) override {
    return refuse(name);
  }
  Result<RetryReport> skip(const std::string& name, const std::string&, const std::string&) override {
    return refuse(name);
  }
  std::optional<RowsVerification> verify_report(const std::string&) const override { return std::nullopt; }

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
    std::shared_ptr<const BuiltView> view;  // which the generation lives in
    const BuiltGeneration* generation = nullptr;
    bool is_partial = false;
  };

  Shared find(const std::string& name) const {
    const std::shared_lock lock(mutex_);
    const auto found = known_.find(name);
    return found == known_.end() ? nullptr : found->second;
  }

  std::vector<Shared> all() const {
    const std::shared_lock lock(mutex_);
    std::vector<Shared> found;
    for (const auto& [name, known] : known_) found.push_back(known);
    return found;
  }

  Shared find_or_make(const std::string& name) {
    if (Shared known = find(name)) return known;
    return std::make_shared<Known>(name, models_, folder_, store_.store_id(),
                                   [this, name](const auto& code) { return make(name, code); });
  }

  Status check_not_own(const std::string& name) {
    const std::lock_guard lock(sync_mutex_);
    if (own_.contains(name)) return own_projection(name);
    return {};
  }

  Error refuse(const std::string& name) const {
    return find(name) == nullptr ? no_projection(name) : built_elsewhere();
  }

  // nullptr when this program cannot make it.
  std::shared_ptr<const Projection> make(const std::string& name, const ProjectionRecord::Code& code) const {
    if (code.source.empty()) {
      const auto own = own_.find(name);
      return own == own_.end() ? nullptr : own->second;
    }
    ProjectionDefinition definition;
    definition.name = name;
    definition.fingerprint = code.fingerprint;
    definition.source = code.source;
    auto made = make_script_projection(definition, options_.log);
    if (const auto* projection = std::get_if<std::shared_ptr<const Projection>>(&made)) return *projection;
    return nullptr;
  }

  Result<Serving> serve(const std::string& name, bool partial) const {
    const Shared known = find(name);
    if (known == nullptr) return no_projection(name);
    Serving serving{known->built.look(), nullptr, false};
    const BuiltView& view = *serving.view;
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
    const auto view = known->built.look();
    std::vector<std::shared_ptr<ReadModel>> models;
    if (view->live) models.push_back(view->live->model);
    if (view->building) models.push_back(view->building->model);
    return models;
  }

  ProjectionStatus status_of(Known& known) const {
    BuiltFacts facts;
    facts.name = known.name;
    facts.view = known.built.look();
    const auto definition = definitions_.find(known.name);
    facts.wanted = definition ? definition->fingerprint : facts.view->record.definition;
    facts.revision = definition ? definition->revision : 0;
    facts.is_being_built = FolderLock::is_held(folder_);
    facts.now = options_.clock();
    facts.moved_at = known.moved_at(known.position(), facts.now);
    facts.stalled_after = options_.stalled_after;
    return built_status(store_, shapes_, facts);
  }

  // Looks again and again while somebody waits, and no longer.
  void poll(const Shared& known) {
    if (known->polling.exchange(true)) return;
    pool_.post_after(kPollEvery, [this, known] {
      known->polling = false;
      known->waiters.reached(known->position());
      if (!known->waiters.is_empty()) poll(known);
    });
  }

  void tick() {
    if (Status status = sync(); !status && options_.on_notice) {
      options_.on_notice("the definitions of projections cannot be read: " + status.error().message);
    }
    pool_.post_after(kDefinitionsTick, [this] { tick(); });
  }

  EventStore& store_;
  EventShapes& shapes_;
  const DaemonOptions options_;
  const fs::path folder_;  // readmodels
  ProjectionDefinitions definitions_;
  SharedModels models_;
  TaskPool pool_;

  std::mutex sync_mutex_;  // one who changes what projections there are
  std::map<std::string, std::shared_ptr<const Projection>> own_;

  mutable std::shared_mutex mutex_;
  std::map<std::string, Shared> known_;
  std::atomic<bool> stopped_{false};
};

}  // namespace

Result<std::unique_ptr<ProjectionDaemon>> open_read_only_daemon(EventStore& store, EventShapes& shapes,
                                                                const fs::path& folder,
                                                                DaemonOptions options) {
  auto daemon = std::make_unique<ReadOnlyDaemon>(store, shapes, folder / "readmodels", std::move(options));
  CAIRN_CHECK(daemon->sync());
  return std::unique_ptr<ProjectionDaemon>(std::move(daemon));
}

}  // namespace cairn
