#include "projections/daemon/projection_daemon.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <nlohmann/json.hpp>
#include <thread>
#include <utility>

#include "eventstore/base/mutex.h"
#include "projections/daemon/daemon_errors.h"
#include "projections/daemon/folder_lock.h"
#include "projections/daemon/parked_view.h"
#include "projections/daemon/row_view.h"
#include "projections/daemon/running_set.h"
#include "projections/runner/audit.h"

namespace cairn {

namespace {

namespace fs = std::filesystem;

// Bounds the delay when a notification of the store is lost.
constexpr std::chrono::milliseconds kDaemonTick{1'000};

// How long the thread that waits for a redrive sleeps when no step is to be done.
constexpr std::chrono::milliseconds kRedrivePause{1};

unsigned pool_threads(const DaemonOptions& options) {
  return options.threads > 0 ? options.threads : std::max(2u, std::thread::hardware_concurrency());
}

class Daemon final : public ProjectionDaemon {
 public:
  Daemon(StoreAccess store, EventShapes& shapes, fs::path folder, DaemonOptions options, FolderLock lock)
      : log_(store.log()),
        options_(std::move(options)),
        lock_(std::move(lock)),
        definitions_(store, options_.projections_max),
        audit_(store),
        source_(store.log(), shapes, {options_.batch_positions_max, options_.batch_bytes_max},
                options_.catch_up_shapes),
        pool_(pool_threads(options_)),
        running_({definitions_, audit_, source_, pool_, options_, stopped_}, std::move(folder)) {}

  ~Daemon() override { stop(); }

  Status load() {
    CAIRN_CHECK(audit_.catch_up());
    return running_.sync();
  }

  void start() override {
    running_.remove_unknown_folders();
    running_.start();
    listen();
    tick();
  }

  void stop() override {
    if (stopped_.exchange(true)) return;
    running_.stop();
    pool_.stop();
    {
      const MutexLock lock(listen_mutex_);
      if (ticket_ != 0) log_.cancel_notify(ticket_);  // The pool has stopped, so listen() runs no more.
    }
    for (const auto& queue : running_.all()) {
      queue->runner().flush();
      queue->runner().close("the server stopped");
    }
  }

  bool run_once() override {
    sync_or_log();
    bool worked = false;
    for (const auto& queue : running_.all()) {
      worked = queue->runner().step().worked || worked;
      queue->runner().watch();
    }
    return worked;
  }

  Status add(std::shared_ptr<const Projection> projection) override {
    return running_.add(std::move(projection));
  }

  Result<ProjectionDeployment, ProjectionRefusal> deploy(const ProjectionDraft& draft) override {
    CAIRN_CHECK(running_.check_not_native(draft.name));
    CAIRN_TRY(ProjectionDeployment deployment, definitions_.deploy(draft));
    CAIRN_CHECK(running_.sync());
    if (!deployment.unchanged) return deployment;
    // The rows may be those of another definition, after a rollback.
    CAIRN_TRY(const auto queue, running_.find(draft.name));
    CAIRN_TRY(const bool applied, queue->runner().redeploy(draft.keep_rows));
    deployment.unchanged = !applied;
    running_.wake(*queue);
    return deployment;
  }

  Status remove(const std::string& name, const RequestOrigin& origin) override {
    CAIRN_CHECK(running_.check_not_native(name));
    // A definition that does not run, because its script does not load, can be removed too.
    if (!definitions_.find(name)) CAIRN_CHECK(running_.find(name));
    CAIRN_CHECK(definitions_.remove(name, origin));
    return running_.sync();
  }

  std::vector<ProjectionStatus> list() const override {
    std::vector<ProjectionStatus> found;
    for (const auto& queue : running_.all()) found.push_back(queue->runner().status());
    return found;
  }

  std::optional<ProjectionStatus> status(const std::string& name) const override {
    const auto queue = running_.find(name);
    if (!queue) return std::nullopt;
    return (*queue)->runner().status();
  }

  std::optional<ProjectionDefinition> definition(const std::string& name) const override {
    return definitions_.find(name);
  }

  Result<ProjectionStatus> rebuild(const std::string& name, std::optional<std::uint64_t> most,
                                   const RequestOrigin& origin) override {
    const nlohmann::json details{{"eventsPerSecondMax", most ? nlohmann::json(*most) : nlohmann::json()}};
    return command(name, "rebuild", details, origin,
                   [&](ProjectionRunner& runner) { return runner.rebuild(most); });
  }
  Result<ProjectionStatus> cancel(const std::string& name, const RequestOrigin& origin) override {
    return command(name, "cancel", {}, origin, [](ProjectionRunner& runner) { return runner.cancel(); });
  }
  Result<ProjectionStatus> rollback(const std::string& name, const RequestOrigin& origin) override {
    return command(name, "rollback", {}, origin, [](ProjectionRunner& runner) { return runner.rollback(); });
  }
  Result<ProjectionStatus> pause(const std::string& name, const RequestOrigin& origin) override {
    return command(name, "pause", {}, origin, [](ProjectionRunner& runner) { return runner.pause(); });
  }
  Result<ProjectionStatus> resume(const std::string& name, const RequestOrigin& origin) override {
    return command(name, "resume", {}, origin, [](ProjectionRunner& runner) { return runner.resume(); });
  }
  Result<ProjectionStatus> verify(const std::string& name) override {
    CAIRN_TRY(const auto queue, running_.find(name));
    CAIRN_CHECK(queue->runner().verify());
    running_.wake(*queue);
    return queue->runner().status();
  }

  std::optional<RowsVerification> verify_report(const std::string& name) const override {
    const auto queue = running_.find(name);
    return queue ? (*queue)->runner().verify_report() : std::nullopt;
  }

  Result<RowAnswer> row(const std::string& name, const std::string& key, bool partial) override {
    CAIRN_TRY(const auto generation, serving(name, partial));
    // Read before the row: a commit in between can only make the row newer.
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
    const auto queue = running_.find(name);
    if (!queue) return done(false);
    const auto runner = (*queue)->shared_runner();
    const auto ticket = runner->waiters().add(
        position, [&] { return runner->visible(); }, std::move(done));
    if (ticket == 0) return;
    pool_.post_after(timeout, [runner, ticket] { runner->waiters().give_up(ticket); });
  }

  Result<ParkedList> parked(const std::string& name, const std::string& after, std::size_t limit) override {
    CAIRN_TRY(const auto queue, running_.find(name));
    return parked_list(queue->runner().models(), after, limit);
  }

  Result<std::vector<ParkedKeyDetail>> parked_key(const std::string& name, const std::string& key) override {
    CAIRN_TRY(const auto queue, running_.find(name));
    return parked_details(queue->runner().models(), key);
  }

  Result<RetryReport> retry(const std::string& name, const std::optional<std::string>& key,
                            const RequestOrigin& origin) override {
    CAIRN_TRY(const auto queue, running_.find(name));
    if (!key) return redrive_now(*queue, origin);
    const nlohmann::ordered_json details{{"projection", name}, {"key", *key}};
    CAIRN_CHECK(audit_.note("ProjectionParkedRetried", details.dump(), origin, kOutcomeBegun));
    CAIRN_TRY(const auto retried, queue->runner().retry(*key));
    running_.wake(*queue);
    return RetryReport{retried.keys, retried.released, retried.events};
  }

  Result<RedriveReport> start_redrive(const std::string& name, const RedriveOptions& options,
                                      const RequestOrigin& origin) override {
    CAIRN_TRY(const auto queue, running_.find(name));
    CAIRN_TRY(auto report, queue->runner().start_redrive(options, origin));
    running_.wake(*queue);
    return report;
  }

  Result<RedriveReport> cancel_redrive(const std::string& name, const RequestOrigin& origin) override {
    CAIRN_CHECK(command(name, "cancelRedrive", {}, origin,
                        [](ProjectionRunner& runner) { return runner.cancel_redrive(); }));
    CAIRN_TRY(const auto queue, running_.find(name));
    return queue->runner().redrive().value_or(RedriveReport{});
  }

  std::optional<RedriveReport> redrive(const std::string& name) const override {
    const auto queue = running_.find(name);
    return queue ? (*queue)->runner().redrive() : std::nullopt;
  }

  Result<RetryReport> skip(const std::string& name, const std::string& key, const std::string& reason,
                           const RequestOrigin& origin) override {
    CAIRN_TRY(const auto queue, running_.find(name));
    CAIRN_TRY(const auto retried, queue->runner().skip(key, reason, origin));
    running_.wake(*queue);
    return RetryReport{retried.keys, retried.released, retried.events};
  }

 private:
  // A redrive that this thread steps, too: it ends also when nothing else steps the projection.
  Result<RetryReport> redrive_now(RunQueue& queue, const RequestOrigin& origin) {
    ProjectionRunner& runner = queue.runner();
    CAIRN_TRY(const RedriveReport begun, runner.start_redrive({}, origin));
    std::optional<RedriveReport> seen = begun;
    while (seen && seen->id == begun.id && seen->state == RedriveState::kRunning) {
      const auto step = runner.step();
      if (!step.worked || stopped_) std::this_thread::sleep_for(kRedrivePause);
      seen = runner.redrive();
    }
    running_.wake(queue);
    if (!seen || seen->id != begun.id)
      return make_error(Errc::kFailedPrecondition, "another retry has begun");
    if (stopped_ && seen->state == RedriveState::kCancelled) return Interruption::error();
    if (seen->state == RedriveState::kFailed) return make_error(seen->code, seen->reason);
    if (seen->state == RedriveState::kCancelled) {
      return make_error(Errc::kFailedPrecondition,
                        fmt::format("the retry was cancelled after {} of {} keys: {}", seen->tried,
                                    seen->keys, seen->reason));
    }
    return RetryReport{seen->keys, seen->released, seen->events};
  }

  template <typename Act>
  Result<ProjectionStatus> command(const std::string& name, std::string_view what, nlohmann::json details,
                                   const RequestOrigin& origin, const Act& act) {
    CAIRN_TRY(const auto queue, running_.find(name));
    CAIRN_CHECK(act(queue->runner()));
    nlohmann::ordered_json data{{"projection", name}, {"command", what}};
    for (const auto& [key, value] : details.items()) data[key] = value;
    if (Status noted = audit_.note("ProjectionCommanded", data.dump(), origin, kOutcomeOk); !noted) {
      log_to(options_.on_log, LogEvent(LogLevel::kWarning, "audit-failed",
                                       "Projection " + name + ": '" + std::string(what) +
                                           "' could not be written to $audit: " + noted.error().message)
                                  .with("projection", name)
                                  .with("command", what)
                                  .with("error", noted.error().message));
    }
    running_.wake(*queue);
    return queue->runner().status();
  }

  Result<std::shared_ptr<Generation>> serving(const std::string& name, bool partial) const {
    CAIRN_TRY(const auto queue, running_.find(name));
    auto generation = queue->runner().serving(partial);
    if (generation == nullptr) return rows_being_built(name);
    return generation;
  }

  bool is_partial(const std::string& name, const Generation& generation) const {
    const auto queue = running_.find(name);
    return !queue || (*queue)->runner().serving(false).get() != &generation;
  }

  void sync_or_log() CAIRN_EXCLUDES(sync_failures_mutex_) {
    Status status = audit_.catch_up();
    if (status) status = running_.sync();
    if (status) return;
    const MutexLock lock(sync_failures_mutex_);
    log_unread_definitions(options_.on_log, status.error(), sync_failures_, options_.clock());
  }

  // Registers for one notification of the next event; each one registers again. The notification may come,
  // and register again on another thread, before notify_at() returns here: with the lock the newest ticket is
  // the one that is kept, and stop() cancels it.
  void listen() CAIRN_EXCLUDES(listen_mutex_) {
    const MutexLock lock(listen_mutex_);
    if (stopped_) return;
    ticket_ = log_.notify_at({log_.head().value + 1}, [this] {
      pool_.post([this] {
        if (options_.catch_up_shapes) sync_or_log();  // The event may be a definition.
        running_.wake_all();
        listen();
      });
    });
  }

  void tick() {
    sync_or_log();
    running_.wake_all();
    for (const auto& queue : running_.all()) queue->runner().watch();
    pool_.post_after(kDaemonTick, [this] { tick(); });
  }

  LogReader& log_;
  const DaemonOptions options_;
  const FolderLock lock_;
  ProjectionDefinitions definitions_;
  ProjectionAudit audit_;
  BatchSource source_;
  TaskPool pool_;
  std::atomic<bool> stopped_{false};
  RunningSet running_;
  Mutex sync_failures_mutex_;
  LogThrottle sync_failures_ CAIRN_GUARDED_BY(sync_failures_mutex_);
  Mutex listen_mutex_;  // held while a notification is registered, which takes no other lock of the daemon
  std::uint64_t ticket_ CAIRN_GUARDED_BY(listen_mutex_) = 0;
};

}  // namespace

Result<std::unique_ptr<ProjectionDaemon>> ProjectionDaemon::open(StoreAccess store, EventShapes& shapes,
                                                                 const fs::path& folder,
                                                                 DaemonOptions options) {
  const fs::path models = folder / "readmodels";
  CAIRN_TRY(FolderLock lock, FolderLock::take(models));
  auto daemon = std::make_unique<Daemon>(store, shapes, models, std::move(options), std::move(lock));
  CAIRN_CHECK(daemon->load());
  return std::unique_ptr<ProjectionDaemon>(std::move(daemon));
}

}  // namespace cairn
