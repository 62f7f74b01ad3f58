#include "schemaregistry/codec/union_form.h"

#include <algorithm>
#include <array>

namespace cairn {

JsonGroup json_group(SchemaKind kind) {
  switch (kind) {
    case SchemaKind::kNull:
      return JsonGroup::kNull;
    case SchemaKind::kBoolean:
      return JsonGroup::kBoolean;
    case SchemaKind::kInt:
    case SchemaKind::kLong:
      return JsonGroup::kInteger;
    case SchemaKind::kFloat:
    case SchemaKind::kDouble:
      return JsonGroup::kDecimal;
    case SchemaKind::kBytes:
    case SchemaKind::kString:
    case SchemaKind::kEnum:
    case SchemaKind::kFixed:
      return JsonGroup::kText;
    case SchemaKind::kArray:
      return JsonGroup::kArray;
    case SchemaKind::kRecord:
    case SchemaKind::kMap:
    case SchemaKind::kUnion:
      break;
  }
  return JsonGroup::kObject;
}

UnionForm::UnionForm(const SchemaNode& node) {
  for (const SchemaNode* branch : node.branches) tags.push_back(type_name(*branch));
  std::array<std::size_t, 7> counts{};
  for (const SchemaNode* branch : node.branches) ++counts[static_cast<std::size_t>(json_group(branch->kind))];
  const auto count_in = [&](JsonGroup group) { return counts[static_cast<std::size_t>(group)]; };
  for (const SchemaNode* branch : node.branches) {
    const JsonGroup group = json_group(branch->kind);
    TagNeed need = TagNeed::kNever;
    if (count_in(group) > 1) {
      need = TagNeed::kAlways;
    } else if (group == JsonGroup::kDecimal && count_in(JsonGroup::kText) > 0) {
      need = TagNeed::kIfNotFinite;
    } else if (branch->kind == SchemaKind::kMap) {
      need = TagNeed::kIfOneTagEntry;
    } else if (branch->kind == SchemaKind::kRecord && branch->fields.size() == 1 &&
               branch_of(branch->fields.front().name) >= 0) {
      need = TagNeed::kAlways;
    }
    needs.push_back(need);
  }
}

int UnionForm::branch_of(std::string_view tag) const {
  const auto found = std::find(tags.begin(), tags.end(), tag);
  return found == tags.end() ? -1 : static_cast<int>(found - tags.begin());
}

}  // namespace cairn
