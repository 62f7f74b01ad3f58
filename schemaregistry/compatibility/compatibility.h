#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "eventstore/base/work_budget.h"
#include "schemaregistry/model/schema.h"

namespace cairn {

enum class IncompatibilityKind {
  kNameMismatch,
  kTypeMismatch,
  kFixedSizeMismatch,
  kMissingEnumSymbols,
  kMissingUnionBranch,
  kReaderFieldMissingDefault,
  kTooComplex,  // not in Confluent's registry: the pair was too deep or too large to compare
};

// "NAME_MISMATCH", …: the names that registry clients know.
std::string_view to_string(IncompatibilityKind kind);

// One reason why data written with one schema cannot be read with another.
struct Incompatibility {
  IncompatibilityKind kind = IncompatibilityKind::kTypeMismatch;
  std::string path;    // where in the reader's schema: "/fields/2/type/items"
  std::string detail;  // what differs: "reader type: STRING not compatible with writer type: INT"
};

// Every reason why `reader` cannot read data of `writer` by Avro's schema resolution, in the order of the
// reader's schema; none when it can. Takes bounded time whatever the schemas are; a pair that would take
// longer counts as incompatible, with kTooComplex as the last finding.
std::vector<Incompatibility> find_incompatibilities(const Schema& reader, const Schema& writer);

// The same, as part of a task: the work is charged to `budget`, and nullopt when that has ended, whatever was
// found by then.
std::optional<std::vector<Incompatibility>> find_incompatibilities(const Schema& reader, const Schema& writer,
                                                                   WorkBudget& budget);

// Compares single types and caches the results, for many pairs of the same two schemas. Not thread-safe.
// REQUIRES: both schemas outlive it.
class CompatibilityChecker {
 public:
  // The work is charged to `budget`, unless that is nullptr; results mean nothing once it has ended.
  // REQUIRES: it outlives the checker.
  explicit CompatibilityChecker(WorkBudget* budget = nullptr);
  ~CompatibilityChecker();
  CompatibilityChecker(const CompatibilityChecker&) = delete;
  CompatibilityChecker& operator=(const CompatibilityChecker&) = delete;

  std::vector<Incompatibility> check(const SchemaNode& reader, const SchemaNode& writer);

  // The same without the reasons, which take most of the time.
  bool can_read(const SchemaNode& reader, const SchemaNode& writer);

 private:
  class Memo;
  std::unique_ptr<Memo> memo_;
};

}  // namespace cairn
