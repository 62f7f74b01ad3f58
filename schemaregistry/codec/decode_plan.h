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
  kLong,  // also for an int that is read as a long
  kFloat,
  kDouble,
  kBytes,  // also for a string that is read as bytes
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
  kUnion,    // of the writer: the bytes have the index of the type
  kInUnion,  // of the reader: the plan has the index of the type
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
  std::string default_bytes;  // kDefault: the Avro value to read instead
};

// The reader's symbol for one of the writer's.
struct PlanSymbol {
  std::string_view name;    // empty: the reader has none
  std::uint32_t place = 0;  // among the reader's symbols
};

// How to read one type of the writer's schema as one type of the reader's.
struct PlanNode {
  PlanOp op = PlanOp::kFail;
  std::uint32_t size = 0;             // kFixed
  std::uint32_t branch = 0;           // kInUnion: which type of the reader's union
  const PlanNode* element = nullptr;  // kArray, kMap; kInUnion: how to read the value

  std::vector<PlanSymbol> symbols;  // kEnum: for each of the writer's
  std::vector<PlanField> fields;    // kRecord
  // kRecord, when fields are read out of order: how to skip the writer's fields.
  std::vector<const PlanNode*> places;
  std::vector<const PlanNode*> branches;  // kUnion
  const UnionForm* form = nullptr;        // kInUnion: the JSON form of the reader's union
  std::string reason;                     // kFail: why it cannot be read
};

// Avro's schema resolution, compiled: reads data of the writer's schema as the reader's. Fields are skipped,
// put into the reader's order or given their default, numbers are widened, symbols and types of unions are
// found by name. Compiled once for a pair of schemas, then run over any number of events (run_plan.h).
// Immutable; thread-safe.
//
// Incompatible schemas have a plan too: reading fails only for data that needs what the reader does not have.
class DecodePlan {
 public:
  // REQUIRES: both schemas outlive the plan. Fails with kInvalidArgument when a default cannot be encoded,
  // and with kTooLarge when the pair is too complex.
  static Result<DecodePlan> compile(const Schema& writer, const Schema& reader);

  DecodePlan(DecodePlan&&) noexcept = default;
  DecodePlan& operator=(DecodePlan&&) noexcept = default;

  const PlanNode& root() const { return *root_; }

 private:
  friend class PlanCompiler;
  DecodePlan() = default;

  // Deques, because nodes point to each other.
  std::deque<PlanNode> nodes_;
  std::deque<UnionForm> forms_;
  const PlanNode* root_ = nullptr;
};

// The limit of pairs of types in one plan. Only malicious schemas have more.
inline constexpr std::size_t kPlanNodesMax = 500'000;

}  // namespace cairn
