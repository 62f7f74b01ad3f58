#include "projections/aggregates/aggregates.h"

#include <utility>

#include "eventstore/base/assert.h"
#include "projections/aggregates/script_aggregate.h"
#include "projections/script/aggregate_fold.h"

namespace cairn {

Status Aggregates::catch_up() {
  return follower_.catch_up([this](const EventView& stored) { return apply(stored); });
}

Status Aggregates::apply(const EventView& stored) {
  CAIRN_TRY(auto definition, read_aggregate_event(stored));
  if (!definition) return {};
  const WriterLock lock(mutex_);
  auto aggregate = make_script_aggregate(*definition, log_);
  std::string category = definition->category;
  scripts_[std::move(category)] = {*std::move(definition), std::move(aggregate)};
  changes_.fetch_add(1, std::memory_order_acq_rel);
  return {};
}

Result<AggregateDeployment, AggregateRefusal> Aggregates::deploy(const AggregateDraft& draft) {
  CAIRN_TRY(const std::unique_ptr<AggregateFold> made, AggregateFold::make(draft.source, draft.file));
  const AggregateHeader& header = made->header();
  if (draft.category && *draft.category != header.category) {
    return WrongCategory{"the request is about category " + *draft.category +
                         ", the script says category = " + header.category};
  }

  const MutexLock one_at_a_time(deploy_mutex_);
  AggregateDefinition wanted;
  wanted.category = header.category;
  wanted.source = draft.source;
  wanted.fingerprint = aggregate_fingerprint(header.category, draft.source);
  wanted.snapshot_every = header.snapshot_every;
  for (int attempt = 0; attempt < kDefinitionAttemptsMax; ++attempt) {
    CAIRN_CHECK(catch_up());
    const std::uint64_t version = follower_.version();
    const auto before = definition(header.category);
    if (before && before->fingerprint == wanted.fingerprint) return AggregateDeployment{*before, true};
    wanted.revision = before ? before->revision + 1 : 1;
    const Status appended = append_definition(store_, version, to_new_event(wanted), draft.origin);
    if (appended) {
      CAIRN_CHECK(catch_up());
      const auto now = definition(header.category);
      return AggregateDeployment{now ? *now : wanted, false};
    }
    if (appended.error().code != Errc::kVersionConflict) return appended.error();
  }
  return definitions_always_change();
}

void Aggregates::add(std::shared_ptr<const Aggregate> aggregate) {
  CAIRN_ASSERT(aggregate != nullptr);
  const WriterLock lock(mutex_);
  std::string category = aggregate->info().category;
  native_[std::move(category)] = std::move(aggregate);
  changes_.fetch_add(1, std::memory_order_acq_rel);
}

std::shared_ptr<const Aggregate> Aggregates::find(std::string_view category) const {
  const ReaderLock lock(mutex_);
  if (const auto native = native_.find(category); native != native_.end()) return native->second;
  const auto script = scripts_.find(category);
  return script == scripts_.end() ? nullptr : script->second.aggregate;
}

std::optional<AggregateDefinition> Aggregates::definition(std::string_view category) const {
  const ReaderLock lock(mutex_);
  const auto script = scripts_.find(category);
  if (script == scripts_.end()) return std::nullopt;
  return script->second.definition;
}

std::vector<AggregateDefinition> Aggregates::definitions() const {
  const ReaderLock lock(mutex_);
  std::vector<AggregateDefinition> found;
  for (const auto& [category, script] : scripts_) found.push_back(script.definition);
  return found;
}

std::vector<std::shared_ptr<const Aggregate>> Aggregates::all() const {
  const ReaderLock lock(mutex_);
  auto by_category = native_;
  for (const auto& [category, script] : scripts_) by_category.emplace(category, script.aggregate);
  std::vector<std::shared_ptr<const Aggregate>> found;
  for (auto& [category, aggregate] : by_category) found.push_back(std::move(aggregate));
  return found;
}

}  // namespace cairn
