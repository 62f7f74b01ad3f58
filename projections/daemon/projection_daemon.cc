#include "projections/daemon/projection_daemon.h"

#include <algorithm>
#include <atomic>
#include <map>
#include <mutex>
#include <nlohmann/json.hpp>
#include <shared_mutex>
#include <thread>
#include <utility>

#include "projections/daemon/audit.h"
#include "projections/daemon/folder_lock.h"
#include "projections/daemon/parked_view.h"
#include "projections/daemon/row_view.h"
#include "projections/daemon/run_queue.h"
#include "projections/script_projection.h"

namespace cairn {

namespace {

namespace fs = std::filesystem;

// Whatever wake-up is lost, this one comes.
constexpr std::chrono::milliseconds kTick{1'000};

unsigned pool_threads(const DaemonOptions& options) {
  return options.threads > 0 ? options.threads : std::max(2u, std::thread::hardware_concurrency());
}

Error no_projection(const std::string& name) {
  return make_error(Errc::kNotFound, "there is no projection '" + name + "'");
}

class Daemon final : public ProjectionDaemon {
 public:
  Daemon(EventStore& store, EventShapes& shapes, fs::path folder, DaemonOptions options, FolderLock lock)
      : store_(store),
        options_(std::move(options)),
        folder_(std::move(folder)),
        lock_(std::move(lock)),
        definitions_(store),
        audit_(store),
        source_(store, shapes, {options_.batch_positions_max, options_.batch_bytes_max},
                options_.catch_up_shapes),
        pool_(pool_threads(options_)) {}

  ~Daemon() override { stop(); }

  Status load() {
    CAIRN_CHECK(audit_.catch_up());
    return sync_definitions();
  }

  void start() override {
    remove_strangers();
    started_ = true;
    listen();
    tick();
  }

  void stop() override {
    if (stopped_.exchange(true)) return;
    pool_.stop();
    if (ticket_ != 0) store_.cancel_notify(ticket_);  // Nobody asks for another one any more.
    for (const auto& queue : all()) {
      queue->runner().flush();
      queue->runner().close();
    }
  }

  bool run_once() override {
    sync_or_notice();
    bool worked = false;
    for (const auto& queue : all()) worked = queue->runner().step().worked || worked;
    return worked;
  }

  Status add(std::shared_ptr<const Projection> projection) override {
    const std::lock_guard one_at_a_time(sync_mutex_);
    const std::string name = projection->info().name;
    if (!is_projection_name(name)) {
      return make_error(Errc::kInvalidArgument, "'" + name + "' cannot be the name of a projection");
    }
    if (find(name) != nullptr) {
      return make_error(Errc::kFailedPrecondition, "there is a projection '" + name + "' already");
    }
    own_.emplace(name, projection);
    return open_runner(name, {std::move(projection), "", 0, false});
  }

  ProjectionOutcome deploy(const ProjectionDraft& draft) override {
    {
      const std::lock_guard lock(sync_mutex_);
      if (own_.contains(draft.name)) {
        return ProjectionRefusal(make_error(Errc::kFailedPrecondition,
                                            "'" + draft.name + "' is a projection of the program itself"));
      }
    }
    ProjectionOutcome outcome = definitions_.deploy(draft);
    if (std::holds_alternative<ProjectionDeployment>(outcome)) {
      if (Status status = sync_definitions(); !status) return ProjectionRefusal(status.error());
    }
    return outcome;
  }

  Status remove(const std::string& name) override {
    {
      const std::lock_guard lock(sync_mutex_);
      if (own_.contains(name)) {
        return make_error(Errc::kFailedPrecondition, "'" + name + "' is a projection of the program itself");
      }
    }
    if (find(name) == nullptr) return no_projection(name);
    CAIRN_CHECK(definitions_.remove(name));
    return sync_definitions();
  }

  std::vector<ProjectionStatus> list() const override {
    std::vector<ProjectionStatus> found;
    for (const auto& queue : all()) found.push_back(queue->runner().status());
    return found;
  }

  std::optional<ProjectionStatus> status(const std::string& name) const override {
    const auto queue = find(name);
    if (queue == nullptr) return std::nullopt;
    return queue->runner().status();
  }

  std::optional<ProjectionDefinition> definition(const std::string& name) const override {
    return definitions_.find(name);
  }

  Result<ProjectionStatus> rebuild(const std::string& name, std::optional<std::uint64_t> most) override {
    const nlohmann::json details{{"eventsPerSecondMax", most ? nlohmann::json(*most) : nlohmann::json()}};
    return command(name, "rebuild", details, [&](ProjectionRunner& runner) { return runner.rebuild(most); });
  }
  Result<ProjectionStatus> cancel(const std::string& name) override {
    return command(name, "cancel", {}, [](ProjectionRunner& runner) { return runner.cancel(); });
  }
  Result<ProjectionStatus> rollback(const std::string& name) override {
    return command(name, "rollback", {}, [](ProjectionRunner& runner) { return runner.rollback(); });
  }
  Result<ProjectionStatus> pause(const std::string& name) override {
    return command(name, "pause", {}, [](ProjectionRunner& runner) { return runner.pause(); });
  }
  Result<ProjectionStatus> resume(const std::string& name) override {
    return command(name, "resume", {}, [](ProjectionRunner& runner) { return runner.resume(); });
  }
  Result<ProjectionStatus> verify(const std::string& name) override {
    const auto queue = find(name);
    if (queue == nullptr) return no_projection(name);
    CAIRN_CHECK(queue->runner().verify());
    wake(*queue);
    return queue->runner().status();
  }

  std::optional<RowsVerification> verify_report(const std::string& name) const override {
    const auto queue = find(name);
    return queue == nullptr ? std::nullopt : queue->runner().verify_report();
  }

  Result<RowAnswer> row(const std::string& name, const std::string& key, bool partial) override {
    CAIRN_TRY(const auto generation, serving(name, partial));
    // Asked before the row: what is committed in between can only make the row newer.
    const GlobalPosition visible = generation->visible();
    CAIRN_TRY(RowAnswer answer, read_row(*generation->model(), generation->projection(), key));
    answer.position = std::max(answer.position, visible);
    answer.partial = is_partial(name, *generation);
    return answer;
  }

  Result<RowsAnswer> rows(const std::string& name, const RowsQuery& query) override {
    CAIRN_TRY(const auto generation, serving(name, query.partial));
    const GlobalPosition visible = generation->visible();
    CAIRN_TRY(RowsAnswer answer, read_rows(*generation->model(), generation->projection(), query));
    answer.position = std::max(answer.position, visible);
    answer.partial = is_partial(name, *generation);
    return answer;
  }

  void wait_for(const std::string& name, GlobalPosition position, std::chrono::milliseconds timeout,
                std::function<void(bool)> done) override {
    const auto queue = find(name);
    if (queue == nullptr) return done(false);
    const auto runner = queue->shared_runner();
    const auto ticket = runner->waiters().add(
        position, [&] { return runner->visible(); }, std::move(done));
    if (ticket == 0) return;
    pool_.post_after(timeout, [runner, ticket] { runner->waiters().give_up(ticket); });
  }

  Result<ParkedList> parked(const std::string& name, const std::string& after, std::size_t limit) override {
    const auto queue = find(name);
    if (queue == nullptr) return no_projection(name);
    return parked_list(queue->runner().models(), after, limit);
  }

  Result<std::vector<ParkedKeyDetail>> parked_key(const std::string& name, const std::string& key) override {
    const auto queue = find(name);
    if (queue == nullptr) return no_projection(name);
    return parked_details(queue->runner().models(), key);
  }

  Result<RetryReport> retry(const std::string& name, const std::optional<std::string>& key) override {
    const auto queue = find(name);
    if (queue == nullptr) return no_projection(name);
    const nlohmann::ordered_json details{{"projection", name},
                                         {"key", key ? nlohmann::json(*key) : nlohmann::json()}};
    CAIRN_CHECK(audit_.note("ProjectionParkedRetried", details.dump()));
    CAIRN_TRY(const auto retried, queue->runner().retry(key));
    wake(*queue);
    return RetryReport{retried.keys, retried.released, retried.events};
  }

  Result<RetryReport> skip(const std::string& name, const std::string& key,
                           const std::string& reason) override {
    const auto queue = find(name);
    if (queue == nullptr) return no_projection(name);
    CAIRN_TRY(const auto retried, queue->runner().skip(key, reason));
    wake(*queue);
    return RetryReport{retried.keys, retried.released, retried.events};
  }

 private:
  using Queue = std::shared_ptr<RunQueue>;

  Queue find(const std::string& name) const {
    const std::shared_lock lock(mutex_);
    const auto found = queues_.find(name);
    return found == queues_.end() ? nullptr : found->second;
  }

  std::vector<Queue> all() const {
    const std::shared_lock lock(mutex_);
    std::vector<Queue> found;
    for (const auto& [name, queue] : queues_) found.push_back(queue);
    return found;
  }

  void wake(RunQueue& queue) {
    if (started_ && !stopped_) queue.wake();
  }

  void notice(const std::string& message) const {
    if (options_.on_notice) options_.on_notice(message);
  }

  template <typename Act>
  Result<ProjectionStatus> command(const std::string& name, std::string_view what, nlohmann::json details,
                                   const Act& act) {
    const auto queue = find(name);
    if (queue == nullptr) return no_projection(name);
    CAIRN_CHECK(act(queue->runner()));
    nlohmann::ordered_json data{{"projection", name}, {"command", what}};
    for (const auto& [key, value] : details.items()) data[key] = value;
    if (Status noted = audit_.note("ProjectionCommanded", data.dump()); !noted) {
      notice("projection " + name + ": '" + std::string(what) +
             "' could not be written to $audit: " + noted.error().message);
    }
    wake(*queue);
    return queue->runner().status();
  }

  Result<std::shared_ptr<Generation>> serving(const std::string& name, bool partial) const {
    const auto queue = find(name);
    if (queue == nullptr) return no_projection(name);
    auto generation = queue->runner().serving(partial);
    if (generation == nullptr) {
      return make_error(Errc::kFailedPrecondition, "the rows of '" + name + "' are being built");
    }
    return generation;
  }

  bool is_partial(const std::string& name, const Generation& generation) const {
    const auto queue = find(name);
    return queue == nullptr || queue->runner().serving(false).get() != &generation;
  }

  std::shared_ptr<const Projection> make(const std::string& name, const std::string& fingerprint,
                                         const std::string& source) const {
    ProjectionDefinition definition;
    definition.name = name;
    definition.fingerprint = fingerprint;
    definition.source = source;
    auto made = make_script_projection(definition, options_.log);
    if (const auto* error = std::get_if<ScriptError>(&made)) {
      notice("projection " + name + ": " + error->text());
      return nullptr;
    }
    return std::get<std::shared_ptr<const Projection>>(std::move(made));
  }

  Status open_runner(const std::string& name, RunnerDefinition definition) {
    RunnerTools tools{
        {source_, pool_, options_}, audit_, [this](const auto&... what) { return make(what...); }};
    CAIRN_TRY(std::shared_ptr<ProjectionRunner> runner,
              ProjectionRunner::open(std::move(tools), folder_ / name, std::move(definition)));
    auto queue = std::make_shared<RunQueue>(pool_, std::move(runner));
    {
      const std::unique_lock lock(mutex_);
      queues_[name] = queue;
    }
    wake(*queue);
    return {};
  }

  // Begins, changes and ends projections as $definitions says.
  Status sync_definitions() {
    const std::lock_guard one_at_a_time(sync_mutex_);
    CAIRN_CHECK(definitions_.catch_up());
    if (definitions_.changes() == synced_changes_) return {};
    // A generation remembers with which schemas and upcasters it was begun.
    if (options_.catch_up_shapes) CAIRN_CHECK(options_.catch_up_shapes());
    const std::uint64_t changes = definitions_.changes();
    const auto wanted = definitions_.all();
    for (const ProjectionDefinition& definition : wanted) {
      const auto known = revisions_.find(definition.name);
      if (known != revisions_.end() && known->second == definition.revision) continue;
      if (own_.contains(definition.name)) continue;
      auto projection = make(definition.name, definition.fingerprint, definition.source);
      if (projection == nullptr) continue;  // It was checked when it was deployed; by another program, maybe.
      RunnerDefinition next{std::move(projection), definition.source, definition.revision,
                            definition.keep_rows};
      if (const auto queue = find(definition.name); queue != nullptr) {
        queue->runner().define(std::move(next));
        wake(*queue);
      } else {
        CAIRN_CHECK(open_runner(definition.name, std::move(next)));
      }
      revisions_[definition.name] = definition.revision;
    }
    std::erase_if(revisions_, [&](const auto& known) {
      const bool stays = std::any_of(wanted.begin(), wanted.end(),
                                     [&](const auto& definition) { return definition.name == known.first; });
      if (!stays) end(known.first);
      return !stays;
    });
    synced_changes_ = changes;
    return {};
  }

  void end(const std::string& name) {
    const auto queue = find(name);
    if (queue == nullptr) return;
    {
      const std::unique_lock lock(mutex_);
      queues_.erase(name);
    }
    queue->runner().close();
    if (Status status = queue->runner().remove_files(); !status) notice(status.error().message);
  }

  void sync_or_notice() {
    Status status = audit_.catch_up();
    if (status) status = sync_definitions();
    if (!status) notice("the definitions of projections cannot be read: " + status.error().message);
  }

  // Folders of projections that were removed while nobody looked.
  void remove_strangers() {
    std::error_code error;
    for (const auto& entry : fs::directory_iterator(folder_, error)) {
      const std::string name = entry.path().filename().string();
      if (!entry.is_directory() || find(name) != nullptr) continue;
      std::error_code ignored;
      fs::remove_all(entry.path(), ignored);
    }
  }

  // Asks the store to tell of the next event, once.
  void listen() {
    if (stopped_) return;
    ticket_ = store_.notify_at({store_.head().value + 1}, [this] {
      pool_.post([this] {
        if (options_.catch_up_shapes) sync_or_notice();  // It may be a definition that came.
        wake_all();
        listen();
      });
    });
  }

  void wake_all() {
    for (const auto& queue : all()) wake(*queue);
  }

  void tick() {
    sync_or_notice();
    wake_all();
    pool_.post_after(kTick, [this] { tick(); });
  }

  EventStore& store_;
  const DaemonOptions options_;
  const fs::path folder_;  // readmodels
  const FolderLock lock_;
  ProjectionDefinitions definitions_;
  ProjectionAudit audit_;
  BatchSource source_;
  TaskPool pool_;

  std::mutex sync_mutex_;  // one who changes what projections there are
  std::uint64_t synced_changes_ = 0;
  std::map<std::string, std::uint32_t> revisions_;  // that were acted upon
  std::map<std::string, std::shared_ptr<const Projection>> own_;

  mutable std::shared_mutex mutex_;
  std::map<std::string, Queue> queues_;
  std::atomic<bool> started_{false};
  std::atomic<bool> stopped_{false};
  std::atomic<std::uint64_t> ticket_{0};
};

}  // namespace

Result<std::unique_ptr<ProjectionDaemon>> ProjectionDaemon::open(EventStore& store, EventShapes& shapes,
                                                                 const fs::path& folder,
                                                                 DaemonOptions options) {
  const fs::path models = folder / "readmodels";
  CAIRN_TRY(FolderLock lock, FolderLock::take(models));
  auto daemon = std::make_unique<Daemon>(store, shapes, models, std::move(options), std::move(lock));
  CAIRN_CHECK(daemon->load());
  return std::unique_ptr<ProjectionDaemon>(std::move(daemon));
}

}  // namespace cairn
