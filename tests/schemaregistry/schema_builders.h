#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

// Schema texts, written so that a table of them can be read. A type is a schema text, or a bare name: int,
// ns.Order.
namespace cairn::test {

inline std::string quote(std::string_view text) { return "\"" + std::string(text) + "\""; }

inline std::string type_text(std::string_view type) {
  const bool is_json = !type.empty() && (type.front() == '{' || type.front() == '[' || type.front() == '"');
  return is_json ? std::string(type) : quote(type);
}

inline std::string joined(const std::vector<std::string>& parts) {
  std::string text;
  for (const std::string& part : parts) text += (text.empty() ? "" : ",") + part;
  return text;
}

// The same object with one member more: with(record(…), "doc", "\"…\"").
inline std::string with(std::string object, std::string_view member, std::string_view json) {
  object.pop_back();
  return object + "," + quote(member) + ":" + std::string(json) + "}";
}

// The same type or field with aliases.
inline std::string aka(const std::string& object, std::initializer_list<const char*> aliases) {
  std::vector<std::string> quoted;
  for (const char* alias : aliases) quoted.push_back(quote(alias));
  return with(object, "aliases", "[" + joined(quoted) + "]");
}

inline std::string field(std::string_view name, std::string_view type) {
  return "{\"name\":" + quote(name) + ",\"type\":" + type_text(type) + "}";
}
inline std::string field(std::string_view name, std::string_view type, std::string_view default_json) {
  return with(field(name, type), "default", default_json);
}

inline std::string record(std::string_view name, const std::vector<std::string>& fields) {
  return "{\"type\":\"record\",\"name\":" + quote(name) + ",\"fields\":[" + joined(fields) + "]}";
}

inline std::string enum_of(std::string_view name, std::initializer_list<const char*> symbols,
                           std::string_view symbol_default = "") {
  std::vector<std::string> quoted;
  for (const char* symbol : symbols) quoted.push_back(quote(symbol));
  const std::string text =
      "{\"type\":\"enum\",\"name\":" + quote(name) + ",\"symbols\":[" + joined(quoted) + "]}";
  return symbol_default.empty() ? text : with(text, "default", quote(symbol_default));
}

inline std::string fixed(std::string_view name, int size) {
  return "{\"type\":\"fixed\",\"name\":" + quote(name) + ",\"size\":" + std::to_string(size) + "}";
}

inline std::string array(std::string_view items) {
  return "{\"type\":\"array\",\"items\":" + type_text(items) + "}";
}

inline std::string map(std::string_view values) {
  return "{\"type\":\"map\",\"values\":" + type_text(values) + "}";
}

inline std::string union_of(const std::vector<std::string>& branches) {
  std::vector<std::string> texts;
  for (const std::string& branch : branches) texts.push_back(type_text(branch));
  return "[" + joined(texts) + "]";
}

// null, or that.
inline std::string maybe(const std::string& type) { return union_of({"null", type}); }

// Every record leads to itself and to every record before it, and all have the same name but for their
// namespaces: two such schemas have as many pairs of types to compare as the square of `size`.
inline std::string tangle(int size, const std::string& space, const std::string& value) {
  std::vector<std::string> records;
  std::vector<std::string> names{"null"};
  for (int i = 0; i < size; ++i) {
    const std::string name = space + std::to_string(i) + ".T";
    records.push_back(record(name, {field("next", union_of(names)), field("self", name), field("v", value)}));
    names.push_back(name);
  }
  return union_of(records);
}

inline std::string logical(std::string_view type, std::string_view logical_type) {
  return "{\"type\":" + quote(type) + ",\"logicalType\":" + quote(logical_type) + "}";
}

}  // namespace cairn::test
