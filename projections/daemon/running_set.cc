#include "projections/daemon/running_set.h"

#include <algorithm>
#include <utility>
#include <variant>

#include "projections/daemon/daemon_errors.h"
#include "projections/script_projection.h"

namespace cairn {

namespace fs = std::filesystem;

RunningSet::Queue RunningSet::look_up(const std::string& name) const {
  const ReaderLock lock(mutex_);
  const auto found = queues_.find(name);
  return found == queues_.end() ? nullptr : found->second;
}

Result<RunningSet::Queue> RunningSet::find(const std::string& name) const {
  Queue queue = look_up(name);
  if (queue == nullptr) return no_projection(name);
  return queue;
}

std::vector<RunningSet::Queue> RunningSet::all() const {
  const ReaderLock lock(mutex_);
  std::vector<Queue> found;
  for (const auto& [name, queue] : queues_) found.push_back(queue);
  return found;
}

Status RunningSet::add(std::shared_ptr<const Projection> projection) {
  const MutexLock one_at_a_time(sync_mutex_);
  const std::string name = projection->info().name;
  CAIRN_CHECK(check_new_projection_name(name));
  if (look_up(name) != nullptr) return projection_exists(name);
  native_.emplace(name, projection);
  return open(name, {std::move(projection), "", 0, false});
}

Status RunningSet::check_not_native(const std::string& name) const {
  const MutexLock lock(sync_mutex_);
  if (native_.contains(name)) return native_projection(name);
  return {};
}

Status RunningSet::sync() {
  const MutexLock one_at_a_time(sync_mutex_);
  CAIRN_CHECK(tools_.definitions.catch_up());
  if (tools_.definitions.changes() == synced_changes_) return {};
  // A generation records the schemas and upcasters it is started with.
  if (tools_.options.catch_up_shapes) CAIRN_CHECK(tools_.options.catch_up_shapes());
  const std::uint64_t changes = tools_.definitions.changes();
  const auto wanted = tools_.definitions.all();
  for (const ProjectionDefinition& definition : wanted) CAIRN_CHECK(apply(definition));
  std::erase_if(revisions_, [&](const auto& known) CAIRN_REQUIRES(sync_mutex_) {
    const bool stays = std::any_of(wanted.begin(), wanted.end(),
                                   [&](const auto& definition) { return definition.name == known.first; });
    if (!stays) end(known.first);
    return !stays;
  });
  synced_changes_ = changes;
  return {};
}

// Starts or changes one projection, unless this revision was applied already.
Status RunningSet::apply(const ProjectionDefinition& definition) {
  const auto known = revisions_.find(definition.name);
  if (known != revisions_.end() && known->second == definition.revision) return {};
  if (native_.contains(definition.name)) return {};
  if (const Status named = check_new_projection_name(definition.name); !named) {
    log_to(tools_.options.on_log,
           LogEvent(LogLevel::kWarning, "projection-not-built",
                    "Projection " + definition.name + " is not built: " + named.error().message)
               .with("projection", definition.name)
               .with("error", named.error().message));
    revisions_[definition.name] = definition.revision;
    return {};
  }
  auto projection = make(definition.name, definition.fingerprint, definition.source);
  if (projection == nullptr) return {};  // Deployed by another version of the program, which accepts it.
  RunnerDefinition next{std::move(projection), definition.source, definition.revision, definition.keep_rows};
  if (const Queue queue = look_up(definition.name); queue != nullptr) {
    queue->runner().define(std::move(next));
    wake(*queue);
  } else {
    CAIRN_CHECK(open(definition.name, std::move(next)));
  }
  revisions_[definition.name] = definition.revision;
  return {};
}

std::shared_ptr<const Projection> RunningSet::make(const std::string& name, const std::string& fingerprint,
                                                   const std::string& source) const {
  ProjectionDefinition definition;
  definition.name = name;
  definition.fingerprint = fingerprint;
  definition.source = source;
  auto made = make_script_projection(definition, tools_.options.log);
  if (!made) {
    const MutexLock lock(refused_mutex_);
    if (const auto suppressed = refused_scripts_.take(name, tools_.options.clock())) {
      LogEvent event(LogLevel::kWarning, "projection-script-refused",
                     "Projection " + name + ": its script does not load: " + made.error().text());
      event.add("projection", name);
      event.add("error", made.error().text());
      add_suppressed(event, *suppressed);
      log_to(tools_.options.on_log, event);
    }
    return nullptr;
  }
  return *std::move(made);
}

Status RunningSet::open(const std::string& name, RunnerDefinition definition) {
  RunnerTools tools{
      {tools_.source, tools_.pool, tools_.options, std::make_shared<Interruption>(tools_.stopping)},
      tools_.audit,
      [this](const auto&... what) { return make(what...); }};
  CAIRN_TRY(std::shared_ptr<ProjectionRunner> runner,
            ProjectionRunner::open(std::move(tools), folder_ / name, std::move(definition)));
  auto queue = std::make_shared<RunQueue>(tools_.pool, std::move(runner));
  {
    const WriterLock lock(mutex_);
    queues_[name] = queue;
  }
  wake(*queue);
  return {};
}

void RunningSet::end(const std::string& name) {
  const Queue queue = look_up(name);
  if (queue == nullptr) return;  // Its script does not load: the next start removes the folder.
  {
    const WriterLock lock(mutex_);
    queues_.erase(name);
  }
  queue->runner().close();
  if (Status status = queue->runner().remove_files(); !status) {
    log_to(tools_.options.on_log,
           LogEvent(LogLevel::kWarning, "projection-files-left",
                    "The files of projection " + name + " could not be removed: " + status.error().message)
               .with("projection", name)
               .with("error", status.error().message));
  }
}

void RunningSet::remove_unknown_folders() const {
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder_, error)) {
    const std::string name = entry.path().filename().string();
    if (!entry.is_directory() || look_up(name) != nullptr || tools_.definitions.find(name)) continue;
    std::error_code ignored;
    fs::remove_all(entry.path(), ignored);
  }
}

void RunningSet::wake(RunQueue& queue) const {
  if (runs_) queue.wake();
}

void RunningSet::wake_all() const {
  for (const Queue& queue : all()) wake(*queue);
}

}  // namespace cairn
