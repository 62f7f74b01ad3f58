#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <unordered_map>
#include <vector>

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

// Judges pairs of types, and remembers. Belongs to one thread. REQUIRES: all nodes it is shown outlive it.
//
// Types can be recursive, so a verdict may depend on itself. A pair counts as compatible until something
// shows that it is not, and each pair knows which others rest on it: when it falls, they are told. So no
// verdict outlives its reasons, the order of asking makes no difference, every pair is expanded once, and
// nothing recurses.
class PairGraph {
 public:
  // More work than this and the pair is not judged. The largest schema the parser takes, against itself,
  // needs a third.
  static constexpr std::uint64_t kWorkMax = 2'000'000;

  // Whether `reader` reads everything `writer` writes. nullopt when that takes too much work, here or before:
  // all questions together may take kWorkMax.
  std::optional<bool> can_read(const SchemaNode& reader, const SchemaNode& writer);

  PairRules& rules() { return rules_; }

 private:
  static constexpr std::uint64_t kPairWork = 4;  // to make, find and keep one
  static constexpr std::uint32_t kNone = UINT32_MAX;

  // A pair falls when it has lost its last life. Where all parts have to hold it has one; a choice has as
  // many as there are branches to choose from.
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
