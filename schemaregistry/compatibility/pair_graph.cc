#include "schemaregistry/compatibility/pair_graph.h"

#include <algorithm>

namespace cairn {

std::optional<bool> PairGraph::can_read(const SchemaNode& reader, const SchemaNode& writer) {
  if (const auto verdict = can_read_at_a_glance(reader, writer)) return verdict;
  const std::uint32_t id = pair_id(reader, writer);
  while (expanded_ < pairs_.size()) {
    // The remaining pairs are never expanded: no later result could be trusted, and each later call returns
    // here.
    if (work() > kWorkMax || !charge()) return std::nullopt;
    expand(static_cast<std::uint32_t>(expanded_++));
  }
  if (!charge()) return std::nullopt;
  return pairs_[id].lives > 0;
}

bool PairGraph::charge(std::uint64_t more) {
  if (budget_ == nullptr) return true;
  const std::uint64_t steps = work() - charged_;
  charged_ += steps;
  return budget_->charge(steps + more);
}

std::uint32_t PairGraph::pair_id(const SchemaNode& reader, const SchemaNode& writer) {
  const TypePair types{&reader, &writer};
  const auto [at, is_new] = ids_.try_emplace(types, static_cast<std::uint32_t>(pairs_.size()));
  if (is_new) pairs_.push_back(Pair{.types = types});
  return at->second;
}

void PairGraph::expand(std::uint32_t id) {
  const TypePair types = pairs_[id].types;
  if (is_choice(*types.reader, *types.writer)) return expand_choice(id);
  rules_.expand(*types.reader, *types.writer, parts_);
  const bool is_broken = std::any_of(parts_.begin(), parts_.end(), [](const PairPart& part) {
    return part.fault != PairFault::kNone || can_read_at_a_glance(*part.reader, *part.writer) == false;
  });
  if (is_broken) return fall(id);
  for (const PairPart& part : parts_) {
    if (!can_read_at_a_glance(*part.reader, *part.writer)) depend(id, *part.reader, *part.writer);
  }
}

void PairGraph::expand_choice(std::uint32_t id) {
  const TypePair types = pairs_[id].types;
  rules_.candidates(*types.reader, *types.writer, branches_);
  const bool is_settled = std::any_of(branches_.begin(), branches_.end(), [&types](const SchemaNode* branch) {
    return can_read_at_a_glance(*branch, *types.writer) == true;
  });
  if (is_settled) return;
  if (branches_.empty()) return fall(id);
  pairs_[id].lives = static_cast<std::uint32_t>(branches_.size());
  for (const SchemaNode* branch : branches_) depend(id, *branch, *types.writer);
}

// The pair `id` depends on whether `reader` can read `writer`.
void PairGraph::depend(std::uint32_t id, const SchemaNode& reader, const SchemaNode& writer) {
  const std::uint32_t on = pair_id(reader, writer);
  if (pairs_[on].lives == 0) return take_life(id);
  dependents_.push_back(Dependent{.pair = id, .next = pairs_[on].first_dependent});
  pairs_[on].first_dependent = static_cast<std::uint32_t>(dependents_.size() - 1);
}

void PairGraph::take_life(std::uint32_t id) {
  if (pairs_[id].lives == 0) return;
  if (--pairs_[id].lives == 0) fall(id);
}

void PairGraph::fall(std::uint32_t id) {
  pairs_[id].lives = 0;
  fallen_.assign(1, id);
  while (!fallen_.empty()) {
    const std::uint32_t pair = fallen_.back();
    fallen_.pop_back();
    for (std::uint32_t at = pairs_[pair].first_dependent; at != kNone; at = dependents_[at].next) {
      const std::uint32_t dependent = dependents_[at].pair;
      if (pairs_[dependent].lives == 0) continue;
      if (--pairs_[dependent].lives == 0) fallen_.push_back(dependent);
    }
  }
}

}  // namespace cairn
