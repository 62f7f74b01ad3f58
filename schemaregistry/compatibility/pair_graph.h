#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <unordered_map>
#include <vector>

#include "eventstore/base/work_budget.h"
#include "schemaregistry/compatibility/pair_rules.h"
#include "schemaregistry/model/schema.h"

namespace cairn {

// A type of the reader's schema and one of the writer's, by address.
struct TypePair {
  const SchemaNode* reader = nullptr;
  const SchemaNode* writer = nullptr;
  friend bool operator==(const TypePair&, const TypePair&) = default;
};

struct TypePairHash {
  std::size_t operator()(const TypePair& pair) const {
    const std::hash<const SchemaNode*> hash;
    return hash(pair.reader) * 0x9E3779B97F4A7C15u + hash(pair.writer);
  }
};

// Decides for pairs of types whether one can read the other, and caches the results. Not thread-safe.
// REQUIRES: all nodes passed to it outlive it.
//
// Types can be recursive, so a result may depend on itself: the graph computes a greatest fixed point. A pair
// counts as compatible until a fault is found, and each pair has a list of the pairs that depend on it, which
// are updated when it fails. So results do not depend on the order of calls, every pair is expanded once, and
// nothing recurses.
class PairGraph {
 public:
  // The limit of work for all pairs. The largest schema that the parser accepts, against itself, needs a
  // third.
  static constexpr std::uint64_t kWorkMax = 2'000'000;

  // The work is charged to `budget` as well, unless that is nullptr. REQUIRES: it outlives the graph.
  explicit PairGraph(WorkBudget* budget = nullptr) : budget_(budget) {}

  // Whether `reader` can read all data of `writer`. nullopt when this call or an earlier one exceeds
  // kWorkMax, which is the limit of all calls together, or ends the budget.
  std::optional<bool> can_read(const SchemaNode& reader, const SchemaNode& writer);

  PairRules& rules() { return rules_; }

  // Charges the work since the last call, and `more` steps. False when the budget has ended.
  bool charge(std::uint64_t more = 0);

 private:
  static constexpr std::uint64_t kPairWork = 4;  // to make, find and keep one
  static constexpr std::uint32_t kNone = UINT32_MAX;

  // A pair fails when its count of alternatives reaches 0. A pair all of whose parts must hold has one; a
  // choice has as many as there are branches.
  struct Pair {
    TypePair types;
    std::uint32_t lives = 1;
    std::uint32_t first_dependent = kNone;
  };
  struct Dependent {
    std::uint32_t pair = 0;
    std::uint32_t next = kNone;
  };

  std::uint32_t pair_id(const SchemaNode& reader, const SchemaNode& writer);
  void expand(std::uint32_t id);
  void expand_choice(std::uint32_t id);
  void depend(std::uint32_t id, const SchemaNode& reader, const SchemaNode& writer);
  void take_life(std::uint32_t id);
  void fall(std::uint32_t id);

  std::uint64_t work() const { return rules_.work() + kPairWork * pairs_.size(); }

  WorkBudget* const budget_;
  std::uint64_t charged_ = 0;  // of the work, to the budget
  PairRules rules_;
  std::vector<Pair> pairs_;  // those from `expanded_` on are still to be expanded
  std::size_t expanded_ = 0;
  std::vector<Dependent> dependents_;
  std::unordered_map<TypePair, std::uint32_t, TypePairHash> ids_;

  std::vector<PairPart> parts_;
  std::vector<const SchemaNode*> branches_;
  std::vector<std::uint32_t> fallen_;
};

}  // namespace cairn
