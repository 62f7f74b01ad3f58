#include "schemaregistry/compatibility/compatibility.h"

#include "schemaregistry/compatibility/findings.h"
#include "schemaregistry/compatibility/pair_graph.h"

namespace cairn {

std::string_view to_string(IncompatibilityKind kind) {
  switch (kind) {
    case IncompatibilityKind::kNameMismatch:
      return "NAME_MISMATCH";
    case IncompatibilityKind::kTypeMismatch:
      return "TYPE_MISMATCH";
    case IncompatibilityKind::kFixedSizeMismatch:
      return "FIXED_SIZE_MISMATCH";
    case IncompatibilityKind::kMissingEnumSymbols:
      return "MISSING_ENUM_SYMBOLS";
    case IncompatibilityKind::kMissingUnionBranch:
      return "MISSING_UNION_BRANCH";
    case IncompatibilityKind::kReaderFieldMissingDefault:
      return "READER_FIELD_MISSING_DEFAULT_VALUE";
    case IncompatibilityKind::kTooComplex:
      return "TOO_COMPLEX";
  }
  return "UNKNOWN";
}

std::vector<Incompatibility> find_incompatibilities(const Schema& reader, const Schema& writer) {
  return CompatibilityChecker().check(reader.root(), writer.root());
}

std::optional<std::vector<Incompatibility>> find_incompatibilities(const Schema& reader, const Schema& writer,
                                                                   WorkBudget& budget) {
  if (!budget.charge()) return std::nullopt;
  auto found = CompatibilityChecker(&budget).check(reader.root(), writer.root());
  if (budget.has_ended()) return std::nullopt;
  return found;
}

class CompatibilityChecker::Memo {
 public:
  explicit Memo(WorkBudget* budget) : graph(budget) {}
  PairGraph graph;
};

CompatibilityChecker::CompatibilityChecker(WorkBudget* budget) : memo_(std::make_unique<Memo>(budget)) {}
CompatibilityChecker::~CompatibilityChecker() = default;

std::vector<Incompatibility> CompatibilityChecker::check(const SchemaNode& reader, const SchemaNode& writer) {
  const std::optional<bool> verdict = memo_->graph.can_read(reader, writer);
  if (!verdict) return {{IncompatibilityKind::kTooComplex, "/", "the schemas are too large to compare"}};
  if (*verdict) return {};
  return collect_findings(memo_->graph, reader, writer);
}

bool CompatibilityChecker::can_read(const SchemaNode& reader, const SchemaNode& writer) {
  return memo_->graph.can_read(reader, writer).value_or(false);
}

}  // namespace cairn
