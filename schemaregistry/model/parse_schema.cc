#include "schemaregistry/model/parse_schema.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_set>

#include "schemaregistry/model/schema_reader.h"

namespace cairn {

namespace {

constexpr std::size_t kFieldBrackets = 3;  // {"fields":[{"type": …}]}
constexpr std::size_t kSymbolBrackets = 2;

// Visits the types in the order in which they would be printed with every named type written out where it stands
// first, and stops where the brackets nest too deep. A parser or printer of that text recurses as deep.
class NestingCheck {
 public:
  bool fits(const SchemaNode& node, std::size_t depth_left) {
    const bool is_name_only = is_named(node.kind) && !written_.insert(&node).second;
    if (is_name_only) return true;
    switch (node.kind) {
      case SchemaKind::kRecord:
        if (depth_left < kFieldBrackets) return false;
        return std::all_of(node.fields.begin(), node.fields.end(), [&](const SchemaField& field) {
          return fits(*field.type, depth_left - kFieldBrackets);
        });
      case SchemaKind::kUnion:
        if (depth_left == 0) return false;
        return std::all_of(node.branches.begin(), node.branches.end(),
                           [&](const SchemaNode* branch) { return fits(*branch, depth_left - 1); });
      case SchemaKind::kArray:
      case SchemaKind::kMap:
        return depth_left > 0 && fits(*node.element, depth_left - 1);
      case SchemaKind::kEnum:
        return depth_left >= kSymbolBrackets;
      case SchemaKind::kFixed:
        return depth_left > 0;
      default:
        return true;
    }
  }

 private:
  std::unordered_set<const SchemaNode*> written_;
};

Error too_large(std::string message, std::size_t limit) {
  Error error = make_error(Errc::kTooLarge, std::move(message));
  error.limit = limit;
  return error;
}

}  // namespace

Result<Schema> parse_schema(std::string_view text, std::span<const std::string_view> references,
                            WorkBudget* budget) {
  std::size_t bytes = text.size();
  for (const std::string_view reference : references) bytes += reference.size();
  if (bytes > kSchemaBytesMax) {
    return too_large(fmt::format("the schema, with those it refers to, has {} bytes; {} are allowed", bytes,
                                 kSchemaBytesMax),
                     kSchemaBytesMax);
  }
  if (references.size() > kSchemaReferencesMax) {
    return too_large(fmt::format("the schema refers to {} others; {} are allowed", references.size(),
                                 kSchemaReferencesMax),
                     kSchemaReferencesMax);
  }
  SchemaReader reader(budget);
  for (const std::string_view reference : references) CAIRN_CHECK(reader.read(reference, true));
  CAIRN_CHECK(reader.read(text, false));
  CAIRN_TRY(Schema schema, std::move(reader).finish());
  // The reader bounds the depth of each text, but references can nest one text in another.
  if (!references.empty() && !NestingCheck().fits(schema.root(), kSchemaSpelledOutDepthMax)) {
    return too_large(
        fmt::format("the schema, with those it refers to written out, is nested more than {} deep",
                    kSchemaSpelledOutDepthMax),
        kSchemaSpelledOutDepthMax);
  }
  return schema;
}

}  // namespace cairn
