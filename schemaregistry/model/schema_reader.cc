#include "schemaregistry/model/schema_reader.h"

#include <algorithm>
#include <unordered_set>

#include "eventstore/json/json_check.h"
#include "eventstore/json/json_cursor.h"
#include "eventstore/json/json_place.h"
#include "schemaregistry/model/parse_schema.h"
#include "schemaregistry/model/schema_default.h"
#include "schemaregistry/model/schema_name.h"

namespace cairn {

namespace {

using Attributes = std::span<const std::string_view>;

// The attributes that have a meaning in Avro; all others are properties.
constexpr std::array<std::string_view, 10> kTypeAttributes = {
    "type", "name", "namespace", "doc", "aliases", "fields", "size", "symbols", "items", "values"};
constexpr std::array<std::string_view, 6> kFieldAttributes = {"name",  "type",    "doc",
                                                              "order", "default", "aliases"};

std::string quoted(std::string_view text) {
  constexpr std::size_t kShownBytes = 100;
  std::string shown = "\"";
  shown += text.substr(0, kShownBytes);
  return shown + (text.size() > kShownBytes ? "…\"" : "\"");
}

std::string plain_json(std::string_view raw) {
  std::string plain;
  append_plain_json(plain, raw);
  return plain;
}

std::vector<SchemaProperty> properties_of(const JsonMembers& members, Attributes attributes) {
  std::vector<SchemaProperty> properties;
  for (const auto& member : members) {
    if (std::find(attributes.begin(), attributes.end(), member.name) != attributes.end()) continue;
    properties.push_back({member.name, plain_json(member.raw)});
  }
  return properties;
}

// Avro accepts any value here and uses only strings.
std::optional<std::string> doc_of(const JsonMembers& members) {
  const auto* member = members.find("doc");
  if (!member) return std::nullopt;
  JsonCursor cursor(member->raw);
  if (cursor.kind() != JsonKind::kString) return std::nullopt;
  return cursor.take_string();
}

std::optional<SchemaKind> complex_kind(std::string_view type) {
  if (type == "record" || type == "error") return SchemaKind::kRecord;
  if (type == "enum") return SchemaKind::kEnum;
  if (type == "fixed") return SchemaKind::kFixed;
  if (type == "array") return SchemaKind::kArray;
  if (type == "map") return SchemaKind::kMap;
  return std::nullopt;
}

constexpr std::string_view kNameRule = "a name has letters, digits and _, and does not begin with a digit";

}  // namespace

class SchemaReader::Step {
 public:
  Step(SchemaReader& reader, std::string part) : reader_(reader) { reader_.path_.push_back(std::move(part)); }
  ~Step() { reader_.path_.pop_back(); }
  Step(const Step&) = delete;
  Step& operator=(const Step&) = delete;

 private:
  SchemaReader& reader_;
};

Status SchemaReader::read(std::string_view text, bool is_foreign) {
  CAIRN_CHECK(charge(text.size()));
  if (const auto fault = check_json(text, kSchemaDepthMax)) {
    return make_error(Errc::kInvalidArgument, "the schema is not JSON that can be used: " + fault->message +
                                                  ", at " + json_place(text, fault->offset));
  }
  is_foreign_ = is_foreign;
  CAIRN_TRY(schema_.root_, read_type(text, ""));
  return {};
}

Result<Schema> SchemaReader::finish() && {
  DefaultChecker checker(budget_);
  for (const auto& [record, place] : records_) {
    for (std::size_t i = 0; i < record->fields.size(); ++i) {
      const SchemaField& field = record->fields[i];
      if (!field.default_json) continue;
      if (const auto fault = checker.check(field)) {
        if (budget_ != nullptr && budget_->has_ended()) return budget_error();
        return make_error(
            Errc::kInvalidArgument,
            place + "/fields/" + std::to_string(i) + "/default: field " + quoted(field.name) + ": " + *fault);
      }
    }
  }
  return std::move(schema_);
}

SchemaReader::Type SchemaReader::read_type(std::string_view raw, const std::string& space) {
  // A type within others is scanned once for each of them; a name is looked up with the namespace around it.
  CAIRN_CHECK(charge(raw.size() + space.size()));
  JsonCursor cursor(raw);
  switch (cursor.kind()) {
    case JsonKind::kString:
      return read_name(cursor.take_string(), space);
    case JsonKind::kArray:
      return read_union(raw, space);
    case JsonKind::kObject:
      return read_object(raw, space);
    default:
      return refusal("a schema is a type's name, an object or an array, not " +
                     std::string(to_string(cursor.kind())));
  }
}

SchemaReader::Type SchemaReader::read_name(const std::string& name, const std::string& space) {
  if (const auto kind = primitive_kind(name)) {
    SchemaNode*& plain = plain_[static_cast<std::size_t>(*kind)];
    if (!plain) {
      CAIRN_TRY(plain, add(*kind));
    }
    return plain;
  }
  if (!is_dotted_schema_name(name)) return refusal(quoted(name) + " is no type: " + std::string(kNameRule));
  // As Avro has it: in the namespace around, and if it is not there, without one.
  const std::string here = split_name(name, space).full();
  for (const std::string& full : {here, name}) {
    if (const auto known = names_.find(full); known != names_.end()) return known->second;
  }
  if (complex_kind(name)) {
    return refusal(quoted(name) + " alone is no type; write it as an object: {\"type\": " + quoted(name) +
                   ", …}");
  }
  return refusal(quoted(here) + " is no type known here; a type is defined before its name is used");
}

SchemaReader::Type SchemaReader::read_union(std::string_view raw, const std::string& space) {
  CAIRN_TRY(SchemaNode * node, add(SchemaKind::kUnion));
  std::unordered_set<std::string> seen;
  JsonCursor cursor(raw);
  cursor.enter_array();
  while (cursor.next_element()) {
    const Step step(*this, std::to_string(node->branches.size()));
    CAIRN_TRY(const SchemaNode* branch, read_type(cursor.take_raw(), space));
    if (branch->kind == SchemaKind::kUnion) return refusal("a union directly inside a union");
    if (std::string name = type_name(*branch); !seen.insert(name).second) {
      return refusal("the union has " + quoted(name) + " twice");
    }
    node->branches.push_back(branch);
  }
  return node;
}

SchemaReader::Type SchemaReader::read_object(std::string_view raw, const std::string& space) {
  const JsonMembers members(raw);
  CAIRN_TRY(const std::string_view type_raw, need(members, "type", "a schema object"));
  JsonCursor cursor(type_raw);
  if (cursor.kind() != JsonKind::kString) {
    return refusal("\"type\" of a schema object is a string, not " + std::string(to_string(cursor.kind())));
  }
  const std::string type = cursor.take_string();

  if (const auto primitive = primitive_kind(type)) {
    auto properties = properties_of(members, kTypeAttributes);
    if (properties.empty()) return read_name(type, space);
    CAIRN_TRY(SchemaNode * node, add(*primitive));
    node->properties = std::move(properties);
    return node;
  }
  const auto kind = complex_kind(type);
  if (!kind) {
    const Step step(*this, "type");
    return read_name(type, space);
  }

  CAIRN_TRY(SchemaNode * node, add(*kind));
  node->properties = properties_of(members, kTypeAttributes);
  if (is_named(*kind)) {
    node->doc = doc_of(members);
    CAIRN_CHECK(read_type_name(*node, members, space));
  }
  switch (*kind) {
    case SchemaKind::kRecord:
      node->is_error = type == "error";
      CAIRN_CHECK(read_record(*node, members));
      break;
    case SchemaKind::kEnum:
      CAIRN_CHECK(read_enum(*node, members));
      break;
    case SchemaKind::kFixed:
      CAIRN_CHECK(read_fixed(*node, members));
      break;
    default:
      CAIRN_CHECK(read_element(*node, members, space));
  }
  return node;
}

Status SchemaReader::read_type_name(SchemaNode& node, const JsonMembers& members, const std::string& space) {
  const std::string owner(to_string(node.kind));
  CAIRN_TRY(const auto name, read_string(members, "name"));
  CAIRN_TRY(const auto given_space, read_string(members, "namespace"));
  if (!name) return refusal("a type of kind " + owner + " needs a \"name\"");
  if (!is_dotted_schema_name(*name)) {
    return refusal(quoted(*name) + " cannot name a type: " + std::string(kNameRule));
  }
  if (given_space && !given_space->empty() && !is_dotted_schema_name(*given_space)) {
    return refusal(quoted(*given_space) + " cannot be a namespace: " + std::string(kNameRule));
  }
  node.name = split_name(*name, given_space ? *given_space : space);
  if (node.name.space.empty() && primitive_kind(node.name.name)) {
    return refusal("a type cannot be named " + quoted(*name) + ", which is a type of Avro's");
  }
  if (!names_.emplace(node.name.full(), &node).second) {
    return refusal(quoted(node.name.full()) + " is defined a second time");
  }
  CAIRN_CHECK(add_name_bytes(node.name.space.size() + node.name.name.size()));
  if (const auto* member = members.find("aliases")) {
    CAIRN_TRY(const auto aliases, read_strings(*member));
    for (const std::string& alias : aliases) {
      if (!is_dotted_schema_name(alias)) {
        return refusal("the alias " + quoted(alias) + " cannot name a type: " + std::string(kNameRule));
      }
      node.aliases.push_back(split_name(alias, node.name.space).full());
      CAIRN_CHECK(add_name_bytes(node.aliases.back().size()));
    }
  }
  return {};
}

Status SchemaReader::read_record(SchemaNode& node, const JsonMembers& members) {
  CAIRN_TRY(const std::string_view raw, need(members, "fields", "a record"));
  JsonCursor cursor(raw);
  if (cursor.kind() != JsonKind::kArray) {
    return refusal("\"fields\" of a record is an array, not " + std::string(to_string(cursor.kind())));
  }
  std::string place;
  for (const std::string& part : path_) place += "/" + part;
  cursor.enter_array();
  const Step step(*this, "fields");
  std::unordered_set<std::string> seen;
  while (cursor.next_element()) {
    const Step field_step(*this, std::to_string(node.fields.size()));
    CAIRN_CHECK(read_field(node, cursor.take_raw()));
    if (!seen.insert(node.fields.back().name).second) {
      return refusal("the record has two fields named " + quoted(node.fields.back().name));
    }
  }
  records_.emplace_back(&node, std::move(place));
  return {};
}

Status SchemaReader::read_field(SchemaNode& record, std::string_view raw) {
  if (const JsonKind kind = JsonCursor(raw).kind(); kind != JsonKind::kObject) {
    return refusal("a field is an object, not " + std::string(to_string(kind)));
  }
  CAIRN_CHECK(charge(raw.size()));
  const JsonMembers members(raw);
  SchemaField field;
  CAIRN_TRY(const auto name, read_string(members, "name"));
  if (!name) return refusal("a field needs a \"name\"");
  if (!is_schema_name(*name))
    return refusal(quoted(*name) + " cannot name a field: " + std::string(kNameRule));
  field.name = *name;
  CAIRN_TRY(const std::string_view type, need(members, "type", "the field " + quoted(field.name)));
  {
    const Step step(*this, "type");
    CAIRN_TRY(field.type, read_type(type, record.name.space));
  }
  field.doc = doc_of(members);
  if (const auto* member = members.find("default")) field.default_json = plain_json(member->raw);
  CAIRN_TRY(const auto order, read_string(members, "order"));
  if (order == "descending") {
    field.order = FieldOrder::kDescending;
  } else if (order == "ignore") {
    field.order = FieldOrder::kIgnore;
  } else if (order && order != "ascending") {
    return refusal("\"order\" is ascending, descending or ignore, not " + quoted(*order));
  }
  if (const auto* member = members.find("aliases")) {
    CAIRN_TRY(field.aliases, read_strings(*member));
    for (const std::string& alias : field.aliases) {
      if (!is_schema_name(alias)) {
        return refusal("the alias " + quoted(alias) + " cannot name a field: " + std::string(kNameRule));
      }
    }
  }
  field.properties = properties_of(members, kFieldAttributes);
  record.fields.push_back(std::move(field));
  return {};
}

Status SchemaReader::read_enum(SchemaNode& node, const JsonMembers& members) {
  CAIRN_CHECK(need(members, "symbols", "an enum"));
  CAIRN_TRY(node.symbols, read_strings(*members.find("symbols")));
  std::unordered_set<std::string_view> seen;
  for (const std::string& symbol : node.symbols) {
    if (!is_schema_name(symbol))
      return refusal(quoted(symbol) + " cannot be a symbol: " + std::string(kNameRule));
    if (!seen.insert(symbol).second) return refusal("the enum has the symbol " + quoted(symbol) + " twice");
  }
  CAIRN_TRY(node.symbol_default, read_string(members, "default"));
  if (node.symbol_default && !seen.contains(*node.symbol_default)) {
    return refusal("the enum's default " + quoted(*node.symbol_default) + " is none of its symbols");
  }
  std::erase_if(node.properties, [](const SchemaProperty& property) { return property.name == "default"; });
  return {};
}

Status SchemaReader::read_fixed(SchemaNode& node, const JsonMembers& members) {
  CAIRN_TRY(const std::string_view raw, need(members, "size", "a fixed"));
  const bool is_number = JsonCursor(raw).kind() == JsonKind::kNumber;
  const auto size = is_number ? json_whole_number(raw) : std::nullopt;
  if (!size)
    return refusal("\"size\" of a fixed is a whole number from 0 on, not " + std::string(raw.substr(0, 40)));
  if (*size > kFixedSizeMax) {
    return refusal("\"size\" of a fixed is at most " + std::to_string(kFixedSizeMax) + ", not " +
                   std::to_string(*size));
  }
  node.size = static_cast<std::uint32_t>(*size);
  return {};
}

Status SchemaReader::read_element(SchemaNode& node, const JsonMembers& members, const std::string& space) {
  const bool is_array = node.kind == SchemaKind::kArray;
  const std::string attribute = is_array ? "items" : "values";
  CAIRN_TRY(const std::string_view raw, need(members, attribute, is_array ? "an array" : "a map"));
  const Step step(*this, attribute);
  CAIRN_TRY(node.element, read_type(raw, space));
  return {};
}

Result<std::optional<std::string>> SchemaReader::read_string(const JsonMembers& members,
                                                             std::string_view name) const {
  const auto* member = members.find(name);
  if (!member || (member->raw == "null" && (name == "namespace" || name == "default"))) {
    return std::optional<std::string>();  // as in Avro's Java library
  }
  JsonCursor cursor(member->raw);
  if (cursor.kind() != JsonKind::kString) {
    return refusal(quoted(name) + " is a string, not " + std::string(to_string(cursor.kind())));
  }
  return std::optional(cursor.take_string());
}

Result<std::vector<std::string>> SchemaReader::read_strings(const JsonMembers::Member& member) const {
  JsonCursor cursor(member.raw);
  if (cursor.kind() != JsonKind::kArray) {
    return refusal(quoted(member.name) + " is an array of strings, not " +
                   std::string(to_string(cursor.kind())));
  }
  std::vector<std::string> strings;
  cursor.enter_array();
  while (cursor.next_element()) {
    if (cursor.kind() != JsonKind::kString) {
      return refusal(quoted(member.name) + " is an array of strings, and has " +
                     std::string(to_string(cursor.kind())) + " in it");
    }
    strings.push_back(cursor.take_string());
  }
  return strings;
}

Result<std::string_view> SchemaReader::need(const JsonMembers& members, std::string_view name,
                                            std::string_view owner) const {
  if (const auto* member = members.find(name)) return member->raw;
  return refusal(std::string(owner) + " needs " + quoted(name));
}

SchemaReader::Type SchemaReader::add(SchemaKind kind) {
  if (schema_.nodes_.size() >= kSchemaNodesMax) {
    Error error = refusal("more than " + std::to_string(kSchemaNodesMax) + " types in one schema");
    error.code = Errc::kTooLarge;
    error.limit = kSchemaNodesMax;
    return error;
  }
  SchemaNode& node = schema_.nodes_.emplace_back();
  node.kind = kind;
  node.is_foreign = is_foreign_;
  return &node;
}

// A short name stands for one with its namespace: a text of many of them in a long namespace would take memory
// quadratic in its size.
Status SchemaReader::add_name_bytes(std::size_t bytes) {
  name_bytes_ += bytes;
  if (name_bytes_ > kSchemaNameBytesMax) {
    Error error = refusal("the names and aliases of the types, each with its namespace, have more than " +
                          std::to_string(kSchemaNameBytesMax) + " bytes");
    error.code = Errc::kTooLarge;
    error.limit = kSchemaNameBytesMax;
    return error;
  }
  return charge(bytes);
}

Status SchemaReader::charge(std::size_t bytes) {
  if (budget_ == nullptr || budget_->charge(1 + bytes / kSchemaBytesPerStep)) return {};
  return budget_error();
}

Error SchemaReader::budget_error() const {
  return budget_->error(std::to_string(schema_.nodes_.size()) + " types of the schema were parsed");
}

Error SchemaReader::refusal(std::string message) const {
  if (path_.empty()) return make_error(Errc::kInvalidArgument, std::move(message));
  std::string place;
  for (const std::string& part : path_) place += "/" + part;
  return make_error(Errc::kInvalidArgument, place + ": " + message);
}

}  // namespace cairn
