#include "schemaregistry/compatibility/findings.h"

#include <algorithm>
#include <cctype>
#include <string>
#include <string_view>
#include <unordered_set>

#include "schemaregistry/model/parse_schema.h"

namespace cairn {
namespace {

// Together they bound the text: paths grow with the depth.
constexpr std::size_t kDepthMax = 500;
constexpr std::size_t kFindingsMax = 1000;

// Of paths and details. Names and lists of symbols in details may be as long as the schemas.
constexpr std::size_t kFindingBytesMax = 16u << 20;

std::string upper_case(SchemaKind kind) {
  std::string name(to_string(kind));
  for (char& c : name) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return name;
}

std::string types_detail(const SchemaNode& reader, const SchemaNode& writer) {
  return "reader type: " + upper_case(reader.kind) +
         " not compatible with writer type: " + upper_case(writer.kind);
}

std::string symbols_detail(PairRules& rules, const SchemaNode& reader, const SchemaNode& writer) {
  std::string text = "[";
  for (const std::string_view symbol : rules.missing_symbols(reader, writer)) {
    if (text.size() > 1) text += ", ";
    text += symbol;
  }
  return text + "]";
}

IncompatibilityKind kind_of(PairFault fault) {
  switch (fault) {
    case PairFault::kName:
      return IncompatibilityKind::kNameMismatch;
    case PairFault::kSize:
      return IncompatibilityKind::kFixedSizeMismatch;
    case PairFault::kSymbols:
      return IncompatibilityKind::kMissingEnumSymbols;
    case PairFault::kFieldMissing:
      return IncompatibilityKind::kReaderFieldMissingDefault;
    case PairFault::kNone:
    case PairFault::kTypes:
    case PairFault::kFieldAmbiguous:
      break;
  }
  return IncompatibilityKind::kTypeMismatch;
}

std::string detail_of(PairRules& rules, const PairPart& part) {
  const SchemaNode& reader = *part.reader;
  const SchemaNode& writer = *part.writer;
  switch (part.fault) {
    case PairFault::kName:
      return "expected: " + writer.name.full();
    case PairFault::kSize:
      return "expected: " + std::to_string(writer.size) + ", found: " + std::to_string(reader.size);
    case PairFault::kSymbols:
      return symbols_detail(rules, reader, writer);
    case PairFault::kFieldMissing:
      return reader.fields[part.index].name;
    case PairFault::kFieldAmbiguous:
      return "reader field " + reader.fields[part.index].name + " matches several fields of the writer";
    case PairFault::kNone:
    case PairFault::kTypes:
      break;
  }
  return types_detail(reader, writer);
}

void append_step(std::string& path, const PairPart& part) {
  switch (part.step) {
    case PathStep::kName:
      path += "/name";
      break;
    case PathStep::kSize:
      path += "/size";
      break;
    case PathStep::kSymbols:
      path += "/symbols";
      break;
    case PathStep::kField:
      path += "/fields/" + std::to_string(part.index);
      break;
    case PathStep::kFieldType:
      path += "/fields/" + std::to_string(part.index) + "/type";
      break;
    case PathStep::kItems:
      path += "/items";
      break;
    case PathStep::kValues:
      path += "/values";
      break;
    case PathStep::kBranch:
      path += "/" + std::to_string(part.index);
      break;
  }
}

class Walk {
 public:
  explicit Walk(PairGraph& graph) : graph_(graph) {}

  // REQUIRES: `reader` cannot read `writer`.
  void visit(const SchemaNode& reader, const SchemaNode& writer, std::size_t depth) {
    if (is_choice(reader, writer)) {
      if (rests_on_open_pair(reader, writer)) return;
      // The reasons of the single branches are not reported: most were not meant to match.
      return add(IncompatibilityKind::kMissingUnionBranch,
                 "reader union lacking writer type: " + upper_case(writer.kind));
    }
    if (can_read_at_a_glance(reader, writer)) {
      return add(IncompatibilityKind::kTypeMismatch, types_detail(reader, writer));
    }
    const bool both_named = is_named(reader.kind) && is_named(writer.kind);
    const TypePair pair{&reader, &writer};
    if (both_named && !told_.insert(pair).second) return;
    if (depth == kDepthMax) {
      return add(IncompatibilityKind::kTooComplex,
                 "differences more than " + std::to_string(kDepthMax) + " types deep are not told");
    }
    if (both_named) open_.insert(pair);
    std::vector<PairPart> parts;
    graph_.rules().expand(reader, writer, parts);
    if (!graph_.charge()) is_over_ = true;
    for (const PairPart& part : parts) {
      if (is_over_) break;
      const std::size_t length = path_.size();
      append_step(path_, part);
      visit_part(part, depth);
      path_.resize(length);
    }
    open_.erase(pair);
  }

  std::vector<Incompatibility> take() && { return std::move(findings_); }

 private:
  void visit_part(const PairPart& part, std::size_t depth) {
    if (part.fault != PairFault::kNone) return add(kind_of(part.fault), detail_of(graph_.rules(), part));
    const std::optional<bool> verdict = graph_.can_read(*part.reader, *part.writer);
    if (!verdict) {
      add(IncompatibilityKind::kTooComplex, "the schemas are too large to compare further");
      is_over_ = true;
    } else if (!*verdict) {
      visit(*part.reader, *part.writer, depth + 1);
    }
  }

  // A branch that fails because of an enclosing pair of types ("next": ["null", "Node"] inside Node) is not
  // reported: the enclosing pair reports its own reason, and it has one that does not depend on this branch.
  bool rests_on_open_pair(const SchemaNode& reader, const SchemaNode& writer) {
    std::vector<const SchemaNode*> branches;
    graph_.rules().candidates(reader, writer, branches);
    return std::any_of(branches.begin(), branches.end(), [&](const SchemaNode* branch) {
      return open_.contains(TypePair{branch, &writer});
    });
  }

  void add(IncompatibilityKind kind, std::string detail) {
    if (is_over_) return;
    if (findings_.size() + 1 == kFindingsMax) {
      kind = IncompatibilityKind::kTooComplex;
      detail = "more than " + std::to_string(kFindingsMax) + " differences";
      is_over_ = true;
    } else if (bytes_ > kFindingBytesMax) {
      kind = IncompatibilityKind::kTooComplex;
      detail = "the differences take more than " + std::to_string(kFindingBytesMax) + " bytes";
      is_over_ = true;
    }
    const std::size_t bytes = path_.size() + detail.size();
    bytes_ += bytes;
    if (!graph_.charge(1 + bytes / kSchemaBytesPerStep)) is_over_ = true;
    findings_.push_back(Incompatibility{kind, path_.empty() ? "/" : path_, std::move(detail)});
  }

  PairGraph& graph_;
  std::vector<Incompatibility> findings_;
  std::unordered_set<TypePair, TypePairHash> told_;
  std::unordered_set<TypePair, TypePairHash> open_;  // those of `told_` that the walk is within
  std::string path_;
  std::size_t bytes_ = 0;  // of the findings
  bool is_over_ = false;
};

}  // namespace

std::vector<Incompatibility> collect_findings(PairGraph& graph, const SchemaNode& reader,
                                              const SchemaNode& writer) {
  Walk walk(graph);
  walk.visit(reader, writer, 0);
  return std::move(walk).take();
}

}  // namespace cairn
