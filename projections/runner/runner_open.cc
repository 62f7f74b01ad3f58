// How a projection is opened, and what a definition other than before means for it.

#include <utility>

#include "eventstore/base/file.h"
#include "projections/readmodel/lmdb_read_model.h"
#include "projections/runner/projection_runner.h"
#include "projections/runner/shapes_mark.h"

namespace cairn {

Result<std::unique_ptr<ProjectionRunner>> ProjectionRunner::open(RunnerTools tools,
                                                                 std::filesystem::path path,
                                                                 RunnerDefinition definition) {
  auto folder = ProjectionFolder::open(path);
  std::string damage;
  if (!folder) {
    if (folder.error().code != Errc::kCorruption) return folder.error();
    damage = folder.error().message;
    std::error_code ignored;
    std::filesystem::remove_all(path, ignored);
    folder = ProjectionFolder::open(path);
    if (!folder) return folder.error();
  }
  std::unique_ptr<ProjectionRunner> runner(
      new ProjectionRunner(std::move(tools), *std::move(folder), std::move(definition)));
  const std::lock_guard lock(runner->mutex_);
  if (!damage.empty()) runner->notice(damage + "; it is built anew");
  CAIRN_CHECK(runner->open_generations());
  runner->accept_parked();
  runner->view_.moved_at = runner->now();
  runner->try_definition();
  runner->publish();
  return runner;
}

std::shared_ptr<const Projection> ProjectionRunner::code_of(const ProjectionRecord::Code& code) const {
  if (code.fingerprint == definition_.projection->info().fingerprint) return definition_.projection;
  if (code.source.empty()) return nullptr;  // The program has it no more.
  return tools_.make(name(), code.fingerprint, code.source);
}

Result<std::shared_ptr<Generation>> ProjectionRunner::open_generation(std::uint64_t number) {
  const auto code = folder_.record().code.find(number);
  if (code == folder_.record().code.end())
    return make_error(Errc::kCorruption, "nothing says how it was made");
  const auto projection = code_of(code->second);
  if (projection == nullptr) return make_error(Errc::kNotFound, "the program cannot make its rows any more");
  std::shared_ptr<ReadModel> model;
  if (previous_ != nullptr && previous_->identity().generation == number) {
    model = previous_;
  } else {
    CAIRN_TRY(model, LmdbReadModel::open(folder_.generation(number), LmdbReadModel::Access::kReadWrite));
  }
  if (model->identity().store_id != store().store_id()) {
    return make_error(Errc::kCorruption, "it was made of the events of another store");
  }
  CAIRN_TRY(auto generation, Generation::open(tools_.generations, projection, std::move(model)));
  if (generation->taken() > store().head()) {
    return make_error(Errc::kCorruption, "it is at position " + std::to_string(generation->taken().value) +
                                             ", but the log ends at " + std::to_string(store().head().value) +
                                             ": an older log was put in its place");
  }
  generation->set_skipped(tools_.audit.skipped(name(), projection->info().fingerprint));
  return std::shared_ptr<Generation>(std::move(generation));
}

Status ProjectionRunner::open_generations() {
  folder_.sweep();
  ProjectionRecord record = folder_.record();
  const auto reopen = [&](std::optional<std::uint64_t>& number, std::shared_ptr<Generation>& generation) {
    if (!number) return true;
    auto opened = open_generation(*number);
    if (opened) {
      generation = *std::move(opened);
      return true;
    }
    notice("generation " + std::to_string(*number) +
           " cannot be used and is dropped: " + opened.error().message);
    number.reset();
    return false;
  };
  const bool live_kept = reopen(record.live, live_);
  const bool building_kept = reopen(record.building, building_);
  if (live_kept && building_kept) return {};
  if (!record.building) record.definition.clear();  // So that it is begun anew.
  CAIRN_CHECK(folder_.save(std::move(record)));
  folder_.sweep();
  return {};
}

void ProjectionRunner::define(RunnerDefinition definition) {
  const std::lock_guard lock(mutex_);
  if (closed_) return;
  definition_ = std::move(definition);
  definition_pending_ = true;
  fault_.clear();
  try_definition();
  publish();
}

// What fails, a full disk for example, is tried again by the steps that follow.
void ProjectionRunner::try_definition() {
  if (Status status = act_on_definition(); !status) return failed(status.error());
  definition_pending_ = false;
}

// A definition other than the one that was last acted upon is built, beside what there is.
Status ProjectionRunner::act_on_definition() {
  const std::string& wanted = definition_.projection->info().fingerprint;
  ProjectionRecord record = folder_.record();
  if (record.definition == wanted && (record.live || record.building)) return {};
  fault_.clear();
  record.definition = wanted;
  if (definition_.keep_rows && record.live && live_ != nullptr) {
    ProjectionRecord::Code& code = record.code[*record.live];
    code.fingerprint = wanted;
    code.source = definition_.source;
    drop_building();
    record.building.reset();
    CAIRN_TRY(auto generation, Generation::open(tools_.generations, definition_.projection, live_->model()));
    CAIRN_CHECK(folder_.save(std::move(record)));
    generation->set_skipped(tools_.audit.skipped(name(), wanted));
    live_ = std::move(generation);
    folder_.sweep();
    return {};
  }
  record.events_per_second_max.reset();
  return begin_building(std::move(record));
}

Status ProjectionRunner::begin_building(ProjectionRecord record) {
  drop_building();
  const std::uint64_t number = ++record.last_generation;
  ReadModelIdentity identity;
  identity.projection = name();
  identity.generation = number;
  identity.fingerprint = definition_.projection->info().fingerprint;
  identity.source = definition_.source;
  identity.store_id = store().store_id();
  identity.made_at = now();
  CAIRN_CHECK(make_folder(folder_.path()));
  std::error_code ignored;
  std::filesystem::remove_all(folder_.generation(number), ignored);
  at("rebuild.before");
  CAIRN_TRY(std::shared_ptr<ReadModel> model, LmdbReadModel::create(folder_.generation(number), identity));
  at("rebuild.made");
  CAIRN_TRY(auto generation, Generation::open(tools_.generations, definition_.projection, std::move(model)));
  if (record.building) record.code.erase(*record.building);
  record.building = number;
  record.code[number] = {
      identity.fingerprint, identity.source,
      shapes_mark(tools_.generations.source.shapes(), definition_.projection->info().from.types)};
  CAIRN_CHECK(folder_.save(std::move(record)));
  at("rebuild.recorded");
  generation->set_skipped(tools_.audit.skipped(name(), identity.fingerprint));
  building_ = std::move(generation);
  throttle_since_ = now();
  throttled_ = 0;
  fault_.clear();
  attempts_ = 0;
  retry_at_.reset();
  {
    const std::lock_guard lock(view_mutex_);
    view_.building_rate.clear();
    view_.first_error.reset();
    view_.last_error.reset();
    view_.moved_at = now();
  }
  folder_.sweep();
  return {};
}

void ProjectionRunner::drop_building() {
  building_.reset();
  const std::lock_guard lock(view_mutex_);
  view_.building.reset();
}

}  // namespace cairn
