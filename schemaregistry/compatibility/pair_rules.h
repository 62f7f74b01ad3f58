#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "schemaregistry/model/schema.h"

namespace cairn {

// Avro's rules for one pair of types: the faults of the pair itself, and the pairs of parts that have to be
// compared. Does not compare those.

// A fault of a pair itself.
enum class PairFault : std::uint8_t {
  kNone,
  kTypes,           // nothing reads one as the other
  kName,            // not the same name, nor an alias of the reader
  kSize,            // two fixed types of different sizes
  kSymbols,         // the writer has symbols the reader has not, and the reader has no default
  kFieldMissing,    // the writer does not have it, and it has no default
  kFieldAmbiguous,  // the reader's field fits several of the writer's, by its name and its aliases
};

// From a type to a part of it.
enum class PathStep : std::uint8_t { kName, kSize, kSymbols, kField, kFieldType, kItems, kValues, kBranch };

// A fault, or (without one) two types of which the one has to be able to read the other.
struct PairPart {
  PairFault fault = PairFault::kNone;
  PathStep step = PathStep::kName;
  std::uint32_t index = 0;  // kField, kFieldType, kBranch: which
  const SchemaNode* reader = nullptr;
  const SchemaNode* writer = nullptr;
};

// Whether the names of two named types match. Namespaces are ignored on purpose: Avro's own checker does so,
// and a type that only moved to another namespace stays readable. An alias is a full name, and only the
// reader's count.
bool names_match(const SchemaNode& reader, const SchemaNode& writer);

// Some branch of the reader has to read the writer. For every other pair all parts have to hold.
inline bool is_choice(const SchemaNode& reader, const SchemaNode& writer) {
  return reader.kind == SchemaKind::kUnion && writer.kind != SchemaKind::kUnion;
}

// The result if the kinds alone determine it; nullopt if the parts have to be compared.
std::optional<bool> can_read_at_a_glance(const SchemaNode& reader, const SchemaNode& writer);

// Expands pairs, and caches indexes of names. Not thread-safe. REQUIRES: all nodes passed to it outlive it.
class PairRules {
 public:
  // Every part of a pair that is not a choice, in the order of the reader's schema. REQUIRES: the kinds alone
  // do not determine the result.
  void expand(const SchemaNode& reader, const SchemaNode& writer, std::vector<PairPart>& parts);

  // The branches of the reader that are candidates for a choice: all others differ in kind or name.
  void candidates(const SchemaNode& reader, const SchemaNode& writer,
                  std::vector<const SchemaNode*>& branches);

  // The symbols of the writer that the reader does not know, sorted.
  std::vector<std::string_view> missing_symbols(const SchemaNode& reader, const SchemaNode& writer);

  // The work done so far, in steps of about equal time.
  std::uint64_t work() const { return work_; }

 private:
  using FieldIndex = std::unordered_map<std::string_view, const SchemaField*>;
  using SymbolIndex = std::unordered_set<std::string_view>;
  using BranchIndex = std::unordered_multimap<std::string, const SchemaNode*>;

  void expand_record(const SchemaNode& reader, const SchemaNode& writer, std::vector<PairPart>& parts);
  void expand_enum(const SchemaNode& reader, const SchemaNode& writer, std::vector<PairPart>& parts);
  void check_name(const SchemaNode& reader, const SchemaNode& writer, std::vector<PairPart>& parts);
  const SchemaField* find_field(const SchemaNode& record, std::string_view name, std::size_t likely_at);
  const BranchIndex& branches_by_name(const SchemaNode& choice);
  const SymbolIndex& symbols_of(const SchemaNode& node);

  std::unordered_map<const SchemaNode*, FieldIndex> fields_;
  std::unordered_map<const SchemaNode*, SymbolIndex> symbols_;
  std::unordered_map<const SchemaNode*, BranchIndex> branches_;
  std::uint64_t work_ = 0;
};

}  // namespace cairn
