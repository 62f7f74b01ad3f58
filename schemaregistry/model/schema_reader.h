#pragma once

#include <array>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "eventstore/base/result.h"
#include "eventstore/base/work_budget.h"
#include "schemaregistry/model/json_members.h"
#include "schemaregistry/model/schema.h"

namespace cairn {

// Parses the texts of one schema. Use parse_schema().
class SchemaReader {
 public:
  // `budget` may be nullptr, else it outlives the reader.
  explicit SchemaReader(WorkBudget* budget) : budget_(budget) {}

  // Parses one text. The schema is that of the last text; those before it only define names for it.
  Status read(std::string_view text, bool is_foreign);

  // Checks what needs all types, and returns the schema.
  Result<Schema> finish() &&;

 private:
  // Adds a part to the path of the parser, and removes it when it is destroyed.
  class Step;
  using Type = Result<SchemaNode*>;

  // `space` is the enclosing namespace.
  Type read_type(std::string_view raw, const std::string& space);
  Type read_name(const std::string& name, const std::string& space);
  Type read_union(std::string_view raw, const std::string& space);
  Type read_object(std::string_view raw, const std::string& space);
  Status read_record(SchemaNode& node, const JsonMembers& members);
  Status read_field(SchemaNode& record, std::string_view raw);
  Status read_enum(SchemaNode& node, const JsonMembers& members);
  Status read_fixed(SchemaNode& node, const JsonMembers& members);
  Status read_element(SchemaNode& node, const JsonMembers& members, const std::string& space);
  Status read_type_name(SchemaNode& node, const JsonMembers& members, const std::string& space);

  // The string of a member, if there is one. Another kind of value is refused, except null where that means
  // none.
  Result<std::optional<std::string>> read_string(const JsonMembers& members, std::string_view name) const;
  Result<std::vector<std::string>> read_strings(const JsonMembers::Member& member) const;
  Result<std::string_view> need(const JsonMembers& members, std::string_view name,
                                std::string_view owner) const;

  Type add(SchemaKind kind);
  Status add_name_bytes(std::size_t bytes);

  // Charges a piece of text that is about to be scanned.
  Status charge(std::size_t bytes);
  Error budget_error() const;

  Error refusal(std::string message) const;

  Schema schema_;
  std::unordered_map<std::string, SchemaNode*> names_;  // full names
  std::array<SchemaNode*, 8> plain_{};                  // primitive types without properties
  bool is_foreign_ = false;
  WorkBudget* const budget_;
  std::size_t name_bytes_ = 0;  // see kSchemaNameBytesMax
  std::vector<std::string> path_;
  std::vector<std::pair<const SchemaNode*, std::string>>
      records_;  // whose defaults are still to be checked, with their paths
};

}  // namespace cairn
