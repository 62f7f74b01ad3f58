#include "projections/definitions/projection_definitions.h"

#include <fmt/format.h>

#include <utility>

#include "projections/script/projection_fold.h"

namespace cairn {

Status ProjectionDefinitions::catch_up() {
  return follower_.catch_up([this](const EventView& stored) { return apply(stored); });
}

Status ProjectionDefinitions::apply(const EventView& stored) {
  CAIRN_TRY(ProjectionEvent event, read_projection_event(stored));
  if (std::holds_alternative<NoProjectionEvent>(event)) return {};
  const WriterLock lock(mutex_);
  if (auto* definition = std::get_if<ProjectionDefinition>(&event)) {
    revisions_[definition->name] = definition->revision;
    std::string name = definition->name;
    definitions_.insert_or_assign(std::move(name), std::move(*definition));
  } else {
    definitions_.erase(std::get<ProjectionRemoval>(event).name);
  }
  changes_.fetch_add(1, std::memory_order_acq_rel);
  return {};
}

Result<ProjectionDeployment, ProjectionRefusal> ProjectionDefinitions::deploy(const ProjectionDraft& draft) {
  CAIRN_CHECK(check_new_projection_name(draft.name));
  CAIRN_CHECK(ProjectionFold::make(draft.source, draft.file));

  const MutexLock one_at_a_time(deploy_mutex_);
  ProjectionDefinition wanted;
  wanted.name = draft.name;
  wanted.source = draft.source;
  wanted.keep_rows = draft.keep_rows;
  wanted.fingerprint = projection_fingerprint(draft.name, draft.source);
  for (int attempt = 0; attempt < kDefinitionAttemptsMax; ++attempt) {
    CAIRN_CHECK(catch_up());
    const std::uint64_t version = follower_.version();
    const auto before = find(draft.name);
    if (before && before->fingerprint == wanted.fingerprint) return ProjectionDeployment{*before, true};
    if (!before) CAIRN_CHECK(check_room());
    wanted.revision = last_revision(draft.name) + 1;
    const Status appended = append_definition(store_, version, to_new_event(wanted), draft.origin);
    if (appended) {
      CAIRN_CHECK(catch_up());
      const auto now = find(draft.name);
      return ProjectionDeployment{now ? *now : wanted, false};
    }
    if (appended.error().code != Errc::kVersionConflict) return appended.error();
  }
  return definitions_always_change();
}

Status ProjectionDefinitions::remove(const std::string& name, const RequestOrigin& origin) {
  const MutexLock one_at_a_time(deploy_mutex_);
  for (int attempt = 0; attempt < kDefinitionAttemptsMax; ++attempt) {
    CAIRN_CHECK(catch_up());
    const std::uint64_t version = follower_.version();
    if (!find(name)) return make_error(Errc::kNotFound, "there is no projection " + name);
    const Status appended = append_definition(store_, version, to_new_event(ProjectionRemoval{name}), origin);
    if (appended) return catch_up();
    if (appended.error().code != Errc::kVersionConflict) return appended.error();
  }
  return definitions_always_change();
}

Status ProjectionDefinitions::check_room() const {
  const ReaderLock lock(mutex_);
  if (definitions_.size() < projections_max_) return {};
  Error error = make_error(
      Errc::kTooLarge, fmt::format("there are {} projections, and {} may be deployed (--projections-max); "
                                   "remove one first",
                                   definitions_.size(), projections_max_));
  error.limit = projections_max_;
  return error;
}

std::uint32_t ProjectionDefinitions::last_revision(const std::string& name) const {
  const ReaderLock lock(mutex_);
  const auto found = revisions_.find(name);
  return found == revisions_.end() ? 0 : found->second;
}

std::optional<ProjectionDefinition> ProjectionDefinitions::find(std::string_view name) const {
  const ReaderLock lock(mutex_);
  const auto found = definitions_.find(name);
  if (found == definitions_.end()) return std::nullopt;
  return found->second;
}

std::vector<ProjectionDefinition> ProjectionDefinitions::all() const {
  const ReaderLock lock(mutex_);
  std::vector<ProjectionDefinition> found;
  for (const auto& [name, definition] : definitions_) found.push_back(definition);
  return found;
}

}  // namespace cairn
