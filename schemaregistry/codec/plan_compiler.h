#pragma once

#include <cstddef>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "schemaregistry/codec/decode_plan.h"
#include "schemaregistry/codec/encode_program.h"
#include "schemaregistry/compatibility/compatibility.h"

namespace cairn {

// Compiles a plan. Use DecodePlan::compile().
class PlanCompiler {
 public:
  Result<DecodePlan> compile(const Schema& writer, const Schema& reader);

 private:
  using Pair = std::pair<const SchemaNode*, const SchemaNode*>;
  struct PairHash {
    std::size_t operator()(const Pair& pair) const {
      const auto first = reinterpret_cast<std::size_t>(pair.first);
      const auto second = reinterpret_cast<std::size_t>(pair.second);
      return (first >> 4) * 0x9E3779B97F4A7C15u ^ (second >> 4);
    }
  };

  // The node of a pair. It is made empty on first use and filled later from a work list, so that deep types
  // do not recurse and recursive types terminate.
  PlanNode* node_of(const SchemaNode& writer, const SchemaNode& reader);
  Status fill(PlanNode& node, const SchemaNode& writer, const SchemaNode& reader);
  Status fill_same_kind(PlanNode& node, const SchemaNode& writer, const SchemaNode& reader);
  Status fill_record(PlanNode& node, const SchemaNode& writer, const SchemaNode& reader);
  void fill_enum(PlanNode& node, const SchemaNode& writer, const SchemaNode& reader);
  void fill_in_union(PlanNode& node, const SchemaNode& writer, const SchemaNode& reader);
  const UnionForm* form_of(const SchemaNode& reader);

  DecodePlan plan_;
  const SchemaNode* reader_root_ = nullptr;
  std::optional<EncodeProgram> defaults_;  // the reader's, made when one is needed
  CompatibilityChecker checker_;
  std::unordered_map<Pair, PlanNode*, PairHash> known_;
  std::vector<std::pair<PlanNode*, Pair>> to_fill_;
  std::unordered_map<const SchemaNode*, const UnionForm*> forms_;
};

}  // namespace cairn
