#include "projections/aggregates/aggregates.h"

#include <utility>

#include "projections/aggregates/script_aggregate.h"
#include "projections/script/aggregate_fold.h"

namespace cairn {

Status Aggregates::catch_up() {
  return follower_.catch_up([this](const EventView& stored) { return apply(stored); });
}

Status Aggregates::apply(const EventView& stored) {
  CAIRN_TRY(auto definition, read_aggregate_event(stored));
  if (!definition) return {};
  const std::unique_lock lock(mutex_);
  auto aggregate = make_script_aggregate(*definition, log_);
  std::string category = definition->category;
  scripts_[std::move(category)] = {*std::move(definition), std::move(aggregate)};
  changes_.fetch_add(1, std::memory_order_acq_rel);
  return {};
}

AggregateOutcome Aggregates::deploy(const AggregateDraft& draft) {
  const auto made = AggregateFold::make(draft.source, draft.file);
  if (const auto* error = std::get_if<ScriptError>(&made)) return AggregateRefusal(*error);
  const AggregateHeader& header = std::get<std::unique_ptr<AggregateFold>>(made)->header();
  if (draft.category && *draft.category != header.category) {
    return AggregateRefusal(WrongCategory{"the request is about category " + *draft.category +
                                          ", the script says category = " + header.category});
  }

  const std::lock_guard one_at_a_time(deploy_mutex_);
  AggregateDefinition wanted;
  wanted.category = header.category;
  wanted.source = draft.source;
  wanted.fingerprint = aggregate_fingerprint(header.category, draft.source);
  wanted.snapshot_every = header.snapshot_every;
  for (int attempt = 0; attempt < kDefinitionAttemptsMax; ++attempt) {
    if (Status status = catch_up(); !status) return AggregateRefusal(status.error());
    const std::uint64_t version = follower_.version();
    const auto before = definition(header.category);
    if (before && before->fingerprint == wanted.fingerprint) return AggregateDeployment{*before, true};
    wanted.revision = before ? before->revision + 1 : 1;
    const Status appended = append_definition(store_, version, to_new_event(wanted));
    if (appended) {
      if (Status status = catch_up(); !status) return AggregateRefusal(status.error());
      const auto now = definition(header.category);
      return AggregateDeployment{now ? *now : wanted, false};
    }
    if (appended.error().code != Errc::kVersionConflict) return AggregateRefusal(appended.error());
  }
  return AggregateRefusal(definitions_always_change());
}

void Aggregates::add(std::shared_ptr<const Aggregate> aggregate) {
  const std::unique_lock lock(mutex_);
  std::string category = aggregate->info().category;
  own_[std::move(category)] = std::move(aggregate);
  changes_.fetch_add(1, std::memory_order_acq_rel);
}

std::shared_ptr<const Aggregate> Aggregates::find(std::string_view category) const {
  const std::shared_lock lock(mutex_);
  if (const auto own = own_.find(category); own != own_.end()) return own->second;
  const auto script = scripts_.find(category);
  return script == scripts_.end() ? nullptr : script->second.aggregate;
}

std::optional<AggregateDefinition> Aggregates::definition(std::string_view category) const {
  const std::shared_lock lock(mutex_);
  const auto script = scripts_.find(category);
  if (script == scripts_.end()) return std::nullopt;
  return script->second.definition;
}

std::vector<AggregateDefinition> Aggregates::definitions() const {
  const std::shared_lock lock(mutex_);
  std::vector<AggregateDefinition> found;
  for (const auto& [category, script] : scripts_) found.push_back(script.definition);
  return found;
}

std::vector<std::shared_ptr<const Aggregate>> Aggregates::all() const {
  const std::shared_lock lock(mutex_);
  auto by_category = own_;
  for (const auto& [category, script] : scripts_) by_category.emplace(category, script.aggregate);
  std::vector<std::shared_ptr<const Aggregate>> found;
  for (auto& [category, aggregate] : by_category) found.push_back(std::move(aggregate));
  return found;
}

}  // namespace cairn
