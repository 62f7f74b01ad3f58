#include "projections/runner/generation_set.h"

#include <fmt/format.h>

#include <system_error>
#include <utility>

#include "eventstore/base/file.h"
#include "projections/readmodel/lmdb_read_model.h"
#include "projections/runner/parked_text.h"
#include "projections/runner/shapes_mark.h"

namespace cairn {

namespace fs = std::filesystem;

Error wrong_state(std::string why) { return make_error(Errc::kFailedPrecondition, std::move(why)); }

bool may_succeed_later(Errc code) { return code == Errc::kDiskFull || code == Errc::kOverloaded; }

GenerationSet::GenerationSet(RunnerTools tools, ProjectionFolder folder, RunnerDefinition definition)
    : tools_(std::move(tools)), folder_(std::move(folder)), definition_(std::move(definition)) {}

Result<GenerationSet> GenerationSet::open(RunnerTools tools, const fs::path& path,
                                          RunnerDefinition definition) {
  auto folder = ProjectionFolder::open(path);
  if (!folder) {
    if (folder.error().code != Errc::kCorruption) return folder.error();
    const std::string& name = definition.projection->info().name;
    tools.log_line(LogEvent(LogLevel::kWarning, "projection-folder-dropped",
                            "Projection " + name + " is rebuilt: " + folder.error().message)
                       .with("projection", name)
                       .with("error", folder.error().message));
    std::error_code ignored;
    fs::remove_all(path, ignored);
    folder = ProjectionFolder::open(path);
    if (!folder) return folder.error();
  }
  GenerationSet set(std::move(tools), *std::move(folder), std::move(definition));
  CAIRN_CHECK(set.open_all());
  return set;
}

std::vector<std::shared_ptr<Generation>> GenerationSet::all() const {
  std::vector<std::shared_ptr<Generation>> found;
  if (live_ != nullptr) found.push_back(live_);
  if (building_ != nullptr) found.push_back(building_);
  return found;
}

std::string GenerationSet::live_shapes() const {
  return live_ == nullptr ? "" : record().code.at(live_->number()).shapes;
}

std::shared_ptr<const SkippedEvents> GenerationSet::skipped(const Projection& projection) const {
  return tools_.audit.skipped(name(), projection.info().fingerprint);
}

std::shared_ptr<const Projection> GenerationSet::code_of(const ProjectionRecord::Code& code) const {
  if (code.fingerprint == definition_.projection->info().fingerprint) return definition_.projection;
  if (code.source.empty()) return nullptr;  // A native projection that this program no longer contains.
  return tools_.make(name(), code.fingerprint, code.source);
}

Result<std::shared_ptr<Generation>> GenerationSet::open_generation(std::uint64_t number) {
  const auto code = record().code.find(number);
  if (code == record().code.end()) {
    return make_error(Errc::kCorruption, "the record does not say which definition built it");
  }
  const auto projection = code_of(code->second);
  if (projection == nullptr) {
    return make_error(Errc::kNotFound, "this program no longer has the definition that built it");
  }
  std::shared_ptr<ReadModel> model;
  if (previous_ != nullptr && previous_->identity().generation == number) {
    model = previous_;
  } else {
    CAIRN_TRY(model, LmdbReadModel::open(folder_.generation(number), LmdbReadModel::Access::kReadWrite));
  }
  if (model->identity().store_id != tools_.log().store_id()) {
    return make_error(Errc::kCorruption, "it was built from the events of another store");
  }
  CAIRN_TRY(auto generation, Generation::open(tools_.generations, projection, std::move(model)));
  const GlobalPosition head = tools_.log().head();
  if (generation->taken() > head) {
    return make_error(Errc::kCorruption,
                      fmt::format("it is at position {}, but the log ends at {}: the log was replaced by an "
                                  "older one",
                                  generation->taken().value, head.value));
  }
  generation->set_skipped(skipped(*projection));
  return std::shared_ptr<Generation>(std::move(generation));
}

Status GenerationSet::open_all() {
  sweep();
  ProjectionRecord next = record();
  const auto reopen = [&](std::optional<std::uint64_t>& number, std::shared_ptr<Generation>& generation) {
    if (!number) return true;
    auto opened = open_generation(*number);
    if (opened) {
      generation = *std::move(opened);
      return true;
    }
    tools_.log_line(LogEvent(LogLevel::kWarning, "projection-generation-dropped",
                             fmt::format("Projection {}: generation {} cannot be used and is dropped: {}",
                                         name(), *number, opened.error().message))
                        .with("projection", name())
                        .with("generation", *number)
                        .with("error", opened.error().message));
    number.reset();
    return false;
  };
  const bool live_kept = reopen(next.live, live_);
  const bool building_kept = reopen(next.building, building_);
  if (live_kept && building_kept) return {};
  if (!next.building) next.definition.clear();  // apply_definition() starts a build.
  CAIRN_CHECK(folder_.save(std::move(next)));
  sweep();
  return {};
}

Result<GenerationSet::Change> GenerationSet::apply_definition() {
  const std::string& wanted = definition_.projection->info().fingerprint;
  ProjectionRecord next = record();
  if (next.definition == wanted && (next.live || next.building)) return Change::kNone;
  next.definition = wanted;
  if (definition_.keep_rows && next.live && live_ != nullptr) return keep_rows(std::move(next));
  next.events_per_second_max.reset();
  CAIRN_CHECK(create_building(std::move(next)));
  return Change::kBuildStarted;
}

Result<GenerationSet::Change> GenerationSet::redeploy(bool keep_rows) {
  if (live_ == nullptr || building_ != nullptr) return Change::kNone;
  if (live_->projection().info().fingerprint == definition_.projection->info().fingerprint) {
    return Change::kNone;
  }
  definition_.keep_rows = keep_rows;
  ProjectionRecord next = record();
  next.definition.clear();  // As if it had not been applied.
  CAIRN_CHECK(folder_.save(std::move(next)));
  return apply_definition();
}

Result<GenerationSet::Change> GenerationSet::keep_rows(ProjectionRecord next) {
  // The generation that goes on with these rows begins at their checkpoint.
  if (live_->checkpoint() < live_->taken()) CAIRN_CHECK(commit_live());
  ProjectionRecord::Code& code = next.code[*next.live];
  code.fingerprint = definition_.projection->info().fingerprint;
  code.source = definition_.source;
  if (next.building) next.code.erase(*next.building);
  next.building.reset();
  CAIRN_TRY(auto generation, Generation::open(tools_.generations, definition_.projection, live_->model()));
  CAIRN_CHECK(folder_.save(std::move(next)));
  building_.reset();
  generation->set_skipped(skipped(*definition_.projection));
  live_ = std::move(generation);
  check_live();
  return Change::kRowsKept;
}

Status GenerationSet::start_build(std::optional<std::uint64_t> events_per_second_max) {
  if (building_ != nullptr && live_ != nullptr) {
    return wrong_state(
        fmt::format("generation {} of '{}' is being built already; cancel it first to begin again",
                    building_->number(), name()));
  }
  ProjectionRecord next = record();
  next.events_per_second_max = events_per_second_max;
  next.definition = definition_.projection->info().fingerprint;
  return create_building(std::move(next));
}

// A failure, for example a full disk, leaves the build under way, in memory and in the record.
Status GenerationSet::create_building(ProjectionRecord next) {
  const std::uint64_t number = ++next.last_generation;
  ReadModelIdentity identity;
  identity.projection = name();
  identity.generation = number;
  identity.fingerprint = definition_.projection->info().fingerprint;
  identity.source = definition_.source;
  identity.store_id = tools_.log().store_id();
  identity.made_at = tools_.now();
  CAIRN_CHECK(make_folder(folder_.path()));
  std::error_code ignored;
  fs::remove_all(folder_.generation(number), ignored);
  tools_.at("rebuild.before");
  CAIRN_TRY(std::shared_ptr<ReadModel> model, LmdbReadModel::create(folder_.generation(number), identity));
  tools_.at("rebuild.made");
  CAIRN_TRY(auto generation, Generation::open(tools_.generations, definition_.projection, std::move(model)));
  if (next.building) next.code.erase(*next.building);
  next.building = number;
  next.code[number] = {
      identity.fingerprint, identity.source,
      shapes_mark(tools_.generations.source.shapes(), definition_.projection->info().from.types)};
  CAIRN_CHECK(folder_.save(std::move(next)));
  tools_.at("rebuild.recorded");
  generation->set_skipped(skipped(*definition_.projection));
  building_ = std::move(generation);
  return {};
}

Status GenerationSet::cancel_build() {
  if (building_ == nullptr) return wrong_state("nothing of '" + name() + "' is being built");
  if (live_ == nullptr) {
    return wrong_state(
        "the first generation of '" + name() +
        "' is being built, and without it there are no rows; pause or delete the projection instead");
  }
  ProjectionRecord next = record();
  next.code.erase(building_->number());
  next.building.reset();
  next.events_per_second_max.reset();
  CAIRN_CHECK(folder_.save(std::move(next)));
  building_.reset();
  return {};
}

Status GenerationSet::rollback() {
  ProjectionRecord next = record();
  if (next.previous.empty() || live_ == nullptr) {
    return wrong_state("'" + name() + "' has no earlier generation to go back to");
  }
  if (building_ != nullptr) {
    return wrong_state(
        fmt::format("generation {} of '{}' is being built; cancel it first", building_->number(), name()));
  }
  const std::uint64_t number = next.previous.front();
  auto generation = open_generation(number);
  if (!generation) {
    return wrong_state(
        fmt::format("generation {} of '{}' cannot be used: {}", number, name(), generation.error().message));
  }
  // What was skipped since it was live may be in its rows: follow_skipped() finds it.
  (*generation)->set_skipped(std::make_shared<const SkippedEvents>());
  next.previous.front() = live_->number();
  next.live = number;
  CAIRN_ASSERT(!(*generation)->has_changes(), number);  // invariant 1
  tools_.at("rollback.before");
  CAIRN_CHECK(folder_.save(std::move(next)));
  tools_.at("rollback.recorded");
  previous_ = live_->model();
  live_ = *std::move(generation);
  check_live();
  return {};
}

Status GenerationSet::take_over() {
  CAIRN_ASSERT(building_ != nullptr);
  tools_.at("swap.before");
  CAIRN_CHECK(commit_building());
  tools_.at("swap.committed");
  // invariant 1
  CAIRN_ASSERT(!building_->has_changes() && building_->checkpoint() == building_->taken(),
               building_->checkpoint().value, building_->taken().value);
  // invariant 2
  CAIRN_ASSERT(live_ == nullptr || building_->taken() >= live_->taken(), building_->taken().value);
  ProjectionRecord next = record();
  if (next.live) next.previous.insert(next.previous.begin(), *next.live);
  while (next.previous.size() > tools_.options().generations_kept) {
    next.code.erase(next.previous.back());
    next.previous.pop_back();
  }
  next.live = next.building;
  next.building.reset();
  next.events_per_second_max.reset();
  CAIRN_CHECK(folder_.save(std::move(next)));
  tools_.at("swap.recorded");
  previous_ = live_ == nullptr || record().previous.empty() ? nullptr : live_->model();
  live_ = std::exchange(building_, nullptr);
  check_live();
  return {};
}

// invariant 3: the generation in memory and the one in the record change together.
void GenerationSet::check_live() const {
  CAIRN_ASSERT(live_ != nullptr && record().live == live_->number(), name());
}

std::string GenerationSet::why_building_holds() const {
  if (live_ == nullptr || building_ == nullptr) return "";
  const std::uint64_t parked = building_->parked_count();
  if (parked <= live_->parked_count()) return "";
  return fmt::format(
      "{} parked in generation {}, {} in the live one: fix the script and deploy it, retry, skip, or cancel "
      "the rebuild",
      keys_are(parked), building_->number(), live_->parked_count());
}

Status GenerationSet::set_paused(std::optional<std::string> reason) {
  ProjectionRecord next = record();
  next.paused = std::move(reason);
  return folder_.save(std::move(next));
}

Status GenerationSet::commit(Generation& generation, std::string_view what) {
  tools_.at("commit.before");
  if (Status status = generation.commit(); !status) {
    if (may_succeed_later(status.error().code)) return status;
    return make_error(
        status.error().code,
        fmt::format("{} could not be committed: {}; start again to recover", what, status.error().message));
  }
  tools_.at("commit.after");
  return {};
}

Status GenerationSet::remove() {
  live_.reset();
  building_.reset();
  previous_.reset();
  return folder_.remove();
}

}  // namespace cairn
