#include "schemaregistry/model/schema_text.h"

#include <algorithm>
#include <limits>
#include <unordered_set>
#include <utility>

#include "eventstore/json/json_text.h"
#include "schemaregistry/model/parse_schema.h"
#include "schemaregistry/model/schema_name.h"

namespace cairn {

namespace {

using Form = SchemaForm;

// Writes members in the order of Avro's Java library, because registry clients compare with its text.
// Recurses as deep as types are nested in the text, which the parser bounds: a type is written out once.
class Printer {
 public:
  explicit Printer(Form form, std::size_t bytes_max = std::numeric_limits<std::size_t>::max(),
                   WorkBudget* budget = nullptr)
      : form_(form), bytes_max_(bytes_max), budget_(budget) {}

  std::string print(const SchemaNode& root) {
    type(root, "");
    return std::move(text_);
  }

  // Whether the text ends early, because it is too large or the budget has ended.
  bool is_cut() const { return is_cut_; }
  std::size_t types() const { return types_; }

 private:
  void type(const SchemaNode& node, const std::string& space) {
    if (!charge()) return;
    const bool only_named = node.is_foreign && form_ != Form::kWrittenOut;
    if (is_named(node.kind) && (only_named || !written_.insert(&node).second)) {
      return string(reference(node.name, space));
    }
    switch (node.kind) {
      case SchemaKind::kRecord:
        return record(node, space);
      case SchemaKind::kEnum:
      case SchemaKind::kFixed:
        return enum_or_fixed(node, space);
      case SchemaKind::kArray:
      case SchemaKind::kMap:
        text_ += '{';
        member("type", to_string(node.kind));
        text_ += node.kind == SchemaKind::kArray ? R"(,"items":)" : R"(,"values":)";
        type(*node.element, space);
        properties(node.properties);
        text_ += '}';
        return;
      case SchemaKind::kUnion:
        text_ += '[';
        for (const SchemaNode* branch : node.branches) {
          if (branch != node.branches.front()) text_ += ',';
          type(*branch, space);
        }
        text_ += ']';
        return;
      default:
        if (node.properties.empty()) return string(to_string(node.kind));
        text_ += '{';
        member("type", to_string(node.kind));
        properties(node.properties);
        text_ += '}';
    }
  }

  // Called for each type: charges it and the text since the last one.
  bool charge() {
    if (is_cut_) return false;
    ++types_;
    const std::size_t bytes = text_.size() - std::exchange(charged_bytes_, text_.size());
    is_cut_ = text_.size() > bytes_max_ ||
              (budget_ != nullptr && !budget_->charge(1 + bytes / kSchemaBytesPerStep));
    return !is_cut_;
  }

  void record(const SchemaNode& node, const std::string& space) {
    text_ += '{';
    member("type", node.is_error ? "error" : "record");
    name_and_doc(node, space);
    text_ += R"(,"fields":[)";
    for (const SchemaField& one : node.fields) {
      if (&one != &node.fields.front()) text_ += ',';
      field(one, node.name.space);
    }
    text_ += ']';
    properties(node.properties);
    type_aliases(node);
    text_ += '}';
  }

  void field(const SchemaField& field, const std::string& space) {
    text_ += '{';
    member("name", field.name);
    text_ += R"(,"type":)";
    type(*field.type, space);
    if (field.doc) next_member("doc", *field.doc);
    if (field.default_json) text_ += R"(,"default":)" + *field.default_json;
    if (field.order == FieldOrder::kDescending) next_member("order", "descending");
    if (field.order == FieldOrder::kIgnore) next_member("order", "ignore");
    strings("aliases", sorted(field.aliases));
    properties(field.properties);
    text_ += '}';
  }

  void enum_or_fixed(const SchemaNode& node, const std::string& space) {
    text_ += '{';
    member("type", to_string(node.kind));
    name_and_doc(node, space);
    if (node.kind == SchemaKind::kFixed) {
      text_ += R"(,"size":)" + std::to_string(node.size);
    } else {
      text_ += R"(,"symbols":[)";
      for (const std::string& symbol : node.symbols) {
        if (&symbol != &node.symbols.front()) text_ += ',';
        string(symbol);
      }
      text_ += ']';
      if (node.symbol_default) next_member("default", *node.symbol_default);
    }
    properties(node.properties);
    type_aliases(node);
    text_ += '}';
  }

  void name_and_doc(const SchemaNode& node, const std::string& space) {
    if (form_ == Form::kNormalized) {
      next_member("name", node.name.full());
      if (node.name.space.empty() && !space.empty()) next_member("namespace", "");
    } else {
      next_member("name", node.name.name);
      if (node.name.space != space) next_member("namespace", node.name.space);
    }
    if (node.doc) next_member("doc", *node.doc);
  }

  // A short name where it is understood from the namespace around.
  std::string reference(const TypeName& name, const std::string& space) const {
    const bool short_name_will_do = name.space == space && !primitive_kind(name.name);
    return form_ != Form::kNormalized && short_name_will_do ? name.name : name.full();
  }

  void type_aliases(const SchemaNode& node) {
    std::vector<std::string> shown;
    for (const std::string& alias : node.aliases) {
      const TypeName name = split_name(alias, "");
      const bool is_short = form_ != Form::kNormalized && name.space == node.name.space;
      shown.push_back(is_short ? name.name : alias);
    }
    strings("aliases", sorted(std::move(shown)));
  }

  void properties(std::vector<SchemaProperty> properties) {
    if (form_ == Form::kNormalized) {
      std::sort(properties.begin(), properties.end(),
                [](const SchemaProperty& a, const SchemaProperty& b) { return a.name < b.name; });
    }
    for (const SchemaProperty& property : properties) {
      text_ += ',';
      string(property.name);
      text_ += ':' + property.json;
    }
  }

  void strings(std::string_view name, const std::vector<std::string>& values) {
    if (values.empty()) return;
    text_ += ',';
    string(name);
    text_ += ":[";
    for (const std::string& value : values) {
      if (&value != &values.front()) text_ += ',';
      string(value);
    }
    text_ += ']';
  }

  std::vector<std::string> sorted(std::vector<std::string> values) const {
    if (form_ == Form::kNormalized) std::sort(values.begin(), values.end());
    return values;
  }

  void next_member(std::string_view name, std::string_view value) {
    text_ += ',';
    member(name, value);
  }

  void member(std::string_view name, std::string_view value) {
    string(name);
    text_ += ':';
    string(value);
  }

  void string(std::string_view text) { append_json_string(text_, text); }

  const Form form_;
  const std::size_t bytes_max_;
  WorkBudget* const budget_;
  std::string text_;
  std::size_t types_ = 0;
  std::size_t charged_bytes_ = 0;
  bool is_cut_ = false;
  std::unordered_set<const SchemaNode*> written_;
};

}  // namespace

std::string schema_text(const Schema& schema) { return Printer(Form::kIdentity).print(schema.root()); }

std::string normalized_schema_text(const Schema& schema) {
  return Printer(Form::kNormalized).print(schema.root());
}

std::string written_out_schema_text(const Schema& schema) {
  return Printer(Form::kWrittenOut).print(schema.root());
}

Result<std::string> print_schema(const Schema& schema, SchemaForm form, WorkBudget* budget) {
  Printer printer(form, kSchemaTextBytesMax, budget);
  std::string text = printer.print(schema.root());
  if (!printer.is_cut()) return text;
  if (budget != nullptr && budget->has_ended()) {
    return budget->error(std::to_string(printer.types()) + " types of the schema were written");
  }
  Error error = make_error(Errc::kTooLarge, "the schema, with its names in full, has more than " +
                                                std::to_string(kSchemaTextBytesMax) + " bytes");
  error.limit = kSchemaTextBytesMax;
  return error;
}

}  // namespace cairn
