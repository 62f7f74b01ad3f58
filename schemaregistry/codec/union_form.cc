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
  for (const SchemaNode* branch : node.branches) {
    by_name_.push_back(static_cast<std::uint32_t>(tags.size()));
    tags.push_back(type_name(*branch));
  }
  std::sort(by_name_.begin(), by_name_.end(),
            [&](std::uint32_t a, std::uint32_t b) { return tags[a] < tags[b]; });
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
  const auto found =
      std::lower_bound(by_name_.begin(), by_name_.end(), tag,
                       [&](std::uint32_t at, std::string_view name) { return tags[at] < name; });
  return found == by_name_.end() || tags[*found] != tag ? -1 : static_cast<int>(*found);
}

}  // namespace cairn
