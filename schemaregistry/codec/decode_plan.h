#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "eventstore/base/result.h"
#include "schemaregistry/codec/union_form.h"
#include "schemaregistry/model/schema.h"

namespace cairn {

enum class PlanOp : std::uint8_t {
  kNull,
  kBoolean,
  kInt,
  kLong,  // also an int that is read as a long
  kFloat,
  kDouble,
  kBytes,  // also a string that is read as bytes
  kString,
  kBytesToString,
  kLongToFloat,
  kLongToDouble,
  kFloatToDouble,
  kEnum,
  kFixed,
  kArray,
  kMap,
  kRecord,
  kUnion,    // the writer's: the bytes say which type follows
  kInUnion,  // the reader's: the plan knows which type it is
  kFail,
};

struct PlanNode;

// One step through a record, in the order of the reader's fields.
struct PlanField {
  enum class Source : std::uint8_t { kNext, kSkip, kPlace, kDefault };
  Source source = Source::kNext;
  const PlanNode* node = nullptr;
  std::uint32_t place = 0;    // kPlace: which field of the writer
  std::string_view name;      // of the reader's field; none for kSkip
  std::string json_name;      // the same as JSON with its colon: "\"total\":"
  std::string default_bytes;  // kDefault: what to read instead
};

// What a symbol of the writer's is for the reader.
struct PlanSymbol {
  std::string_view name;    // empty: the reader has none for it
  std::uint32_t place = 0;  // among the reader's
};

// How to read one type of the writer's as one type of the reader's.
struct PlanNode {
  PlanOp op = PlanOp::kFail;
  std::uint32_t size = 0;             // kFixed
  std::uint32_t branch = 0;           // kInUnion: which type of the reader's union
  const PlanNode* element = nullptr;  // kArray, kMap; kInUnion: how to read the value

  std::vector<PlanSymbol> symbols;  // kEnum: for each of the writer's
  std::vector<PlanField> fields;    // kRecord
  std::vector<const PlanNode*>
      places;  // kRecord, when fields are read out of order: how to skip the writer's fields
  std::vector<const PlanNode*> branches;  // kUnion
  const UnionForm* form = nullptr;        // kInUnion: how JSON shows the reader's union
  std::string reason;                     // kFail: why it cannot be read
};

// A program that reads what was written with one schema as another one has it: fields are left out, put into
// the reader's order or given their default, numbers are widened, symbols and types of unions found by name.
// Made once for a pair of schemas, then run over any number of events, by any number of threads (run_plan.h).
//
// Between schemas that are not compatible there is a plan as well: reading fails where the bytes need what
// the reader does not have, and nowhere else.
class DecodePlan {
 public:
  // REQUIRES: both schemas outlive the plan. Fails with kInvalidArgument when a default cannot be written,
  // and with kTooLarge when the pair is too complex.
  static Result<DecodePlan> compile(const Schema& writer, const Schema& reader);

  DecodePlan(DecodePlan&&) noexcept = default;
  DecodePlan& operator=(DecodePlan&&) noexcept = default;

  const PlanNode& root() const { return *root_; }

 private:
  friend class PlanCompiler;
  DecodePlan() = default;

  // Deques keep them where they are.
  std::deque<PlanNode> nodes_;
  std::deque<UnionForm> forms_;
  const PlanNode* root_ = nullptr;
};

// The pairs of types in one plan are at most this many; only schemas made to hurt have more.
inline constexpr std::size_t kPlanNodesMax = 500'000;

}  // namespace cairn
