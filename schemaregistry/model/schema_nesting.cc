#include "schemaregistry/model/schema_nesting.h"

#include <algorithm>
#include <unordered_set>

namespace cairn {

namespace {

constexpr std::size_t kFieldBrackets = 3;  // {"fields":[{"type": …}]}
constexpr std::size_t kSymbolBrackets = 2;

// Goes through the types as a printer does, and stops where it would be too deep.
class Walk {
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

}  // namespace

bool is_nested_deeper(const SchemaNode& root, std::size_t depth_max) { return !Walk().fits(root, depth_max); }

}  // namespace cairn
