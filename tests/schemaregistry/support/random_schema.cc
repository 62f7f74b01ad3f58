#include "tests/schemaregistry/support/random_schema.h"

#include <nlohmann/json.hpp>

#include "schemaregistry/model/schema_text.h"

namespace cairn::test {

namespace {

using Json = nlohmann::ordered_json;

const std::vector<std::string> kPrimitives = {"null",  "boolean", "int",   "long",
                                              "float", "double",  "bytes", "string"};
const std::vector<std::string> kSymbols = {"RED", "GREEN", "BLUE", "BLACK", "WHITE"};

class Maker {
 public:
  Maker(Random& random, const RandomSchemaOptions& options) : random_(random), options_(options) {}

  Json make() { return random_.one_in(8) ? type(options_.depth) : record(options_.depth); }

 private:
  Json type(int depth) {
    if (depth <= 0 || random_.one_in(3)) return leaf();
    switch (random_.below(6)) {
      case 0:
        return record(depth);
      case 1:
        return {{"type", "array"}, {"items", type(depth - 1)}};
      case 2:
        return {{"type", "map"}, {"values", type(depth - 1)}};
      case 3:
        return one_of(depth);
      default:
        return leaf();
    }
  }

  Json leaf() {
    switch (random_.below(8)) {
      case 0:
        return enumeration();
      case 1:
        return {{"type", "fixed"}, {"name", next_name("F")}, {"size", random_.between(1, 6)}};
      case 2:
        if (!done_.empty()) return random_.pick(done_);
        return random_.pick(kPrimitives);
      case 3:
        if (options_.for_reference_codecs) return "long";  // the reference codecs convert it to dates
        return {{"type", "long"}, {"logicalType", "timestamp-millis"}};
      default:
        return random_.pick(kPrimitives);
    }
  }

  Json enumeration() {
    Json symbols = Json::array();
    const std::size_t count = random_.between(1, kSymbols.size());
    for (std::size_t i = 0; i < count; ++i) symbols.push_back(kSymbols[i]);
    Json made = {{"type", "enum"}, {"name", next_name("E")}, {"symbols", symbols}};
    if (random_.one_in(3)) made["default"] = kSymbols[random_.below(count)];
    done_.push_back(made["name"]);
    return made;
  }

  Json record(int depth) {
    const std::string name = next_name("R");
    Json fields = Json::array();
    const std::size_t count = random_.between(options_.for_reference_codecs ? 1 : 0, 6);
    for (std::size_t i = 0; i < count; ++i) {
      Json field = {{"name", "f" + std::to_string(i)}, {"type", type(depth - 1)}};
      if (random_.one_in(3)) give_default(field);
      fields.push_back(field);
    }
    if (random_.one_in(4)) {
      fields.push_back({{"name", "more"}, {"type", {"null", name}}, {"default", nullptr}});
    }
    done_.push_back(name);
    return {{"type", "record"}, {"name", name}, {"fields", fields}};
  }

  Json one_of(int depth) {
    Json branches = Json::array();
    std::vector<std::string> seen;
    const std::size_t count = random_.between(1, 5);
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t known = done_.size();
      Json branch = type(depth - 1);
      if (branch.is_array()) {
        done_.resize(known);  // the types that it defined are removed too
        continue;
      }
      std::string name = branch.is_string() ? branch.get<std::string>() : branch["type"].get<std::string>();
      if (branch.is_object() && branch.contains("name")) name = branch["name"];
      if (std::find(seen.begin(), seen.end(), name) != seen.end()) {
        done_.resize(known);
        continue;
      }
      seen.push_back(name);
      branches.push_back(branch);
    }
    if (branches.empty()) branches.push_back("null");
    return branches;
  }

  // Only where it is plain what fits.
  void give_default(Json& field) {
    const Json& type = field["type"];
    const Json& shape = type.is_array() ? type.front() : type;
    const std::string kind = shape.is_string() ? shape.get<std::string>() : shape["type"].get<std::string>();
    if (kind == "null") field["default"] = nullptr;
    if (kind == "boolean") field["default"] = true;
    if (kind == "int" || kind == "long") field["default"] = -7;
    if (kind == "float" || kind == "double") field["default"] = 2.5;
    if (kind == "string" || kind == "bytes") field["default"] = "some";
    if (kind == "array") field["default"] = Json::array();
    if (kind == "map") field["default"] = Json::object();
    if (kind == "enum") field["default"] = shape["symbols"].front();
  }

  std::string next_name(const std::string& letter) { return letter + std::to_string(names_++); }

  Random& random_;
  RandomSchemaOptions options_;
  int names_ = 0;
  std::vector<std::string> done_;
};

class Changer {
 public:
  explicit Changer(Random& random) : random_(random) {}

  void change(Json& type) {
    if (type.is_array()) {
      for (Json& branch : type) change(branch);
      if (random_.one_in(4) && type.size() > 1) type.erase(type.begin() + pick(type.size()));
      if (random_.one_in(4) && std::find(type.begin(), type.end(), "double") == type.end()) {
        type.insert(type.begin() + pick(type.size() + 1), "double");
      }
    } else if (type.is_object()) {
      const std::string kind = type["type"];
      if (kind == "array") change(type["items"]);
      if (kind == "map") change(type["values"]);
      if (kind == "record") change_record(type);
      if (kind == "enum" && random_.one_in(3) && type["symbols"].size() > 1 && !type.contains("default")) {
        type["symbols"].erase(0);
      }
      if (kind == "enum" && random_.one_in(3)) type["symbols"].insert(type["symbols"].begin(), "NEW");
    } else if (type == "int" && random_.one_in(2)) {
      type = random_.pick(std::vector<std::string>{"long", "float", "double"});
    } else if (type == "float" && random_.one_in(3)) {
      type = "double";
    } else if (type == "string" && random_.one_in(6)) {
      type = "bytes";
    } else if (random_.one_in(25) && type != "null") {
      type = Json::array({"null", type});
    }
  }

 private:
  void change_record(Json& record) {
    Json& fields = record["fields"];
    for (Json& field : fields) {
      const Json before = field["type"];
      change(field["type"]);
      if (field["type"] != before) field.erase("default");
    }
    // A field that defines a type others name stays where it is.
    const auto is_free = [](const Json& field) { return field["type"].is_string(); };
    if (random_.one_in(3) && !fields.empty()) {
      const auto at = pick(fields.size());
      if (is_free(fields[static_cast<std::size_t>(at)])) fields.erase(fields.begin() + at);
    }
    if (random_.one_in(3)) {
      fields.insert(fields.begin() + pick(fields.size() + 1),
                    Json{{"name", "added"}, {"type", "long"}, {"default", 12}});
    }
    if (random_.one_in(3) && fields.size() > 1) {
      const auto from = static_cast<std::size_t>(pick(fields.size()));
      const auto to = static_cast<std::size_t>(pick(fields.size()));
      if (is_free(fields[from]) && is_free(fields[to])) std::swap(fields[from], fields[to]);
    }
    if (random_.one_in(5) && !fields.empty()) {
      Json& field = fields[static_cast<std::size_t>(pick(fields.size()))];
      field["aliases"] = {field["name"]};
      field["name"] = "renamed_" + field["name"].get<std::string>();
    }
  }

  std::ptrdiff_t pick(std::size_t count) { return static_cast<std::ptrdiff_t>(random_.below(count)); }

  Random& random_;
};

std::string random_text(Random& random) {
  static const std::vector<std::string> kPieces = {"a", "Z", " ", "\"", "\\",  "\n",
                                                   "é", "ÿ", "€", "😀",  "NaN", ""};
  std::string text;
  for (std::size_t i = random.below(6); i > 0; --i) text += random.pick(kPieces);
  return Json(text).dump();
}

std::string random_bytes(Random& random, std::size_t count) {
  std::string json = "\"";
  for (std::size_t i = 0; i < count; ++i) {
    char escape[8];
    std::snprintf(escape, sizeof escape, "\\u%04x", static_cast<unsigned>(random.below(256)));
    json += escape;
  }
  return json + "\"";
}

}  // namespace

std::string random_schema(Random& random, const RandomSchemaOptions& options) {
  return Maker(random, options).make().dump();
}

std::string changed_schema(Random& random, const Schema& schema) {
  Json json = Json::parse(schema_text(schema));
  Changer(random).change(json);
  return json.dump();
}

std::string random_value(Random& random, const SchemaNode& type, int depth) {
  const auto number = [&](std::int64_t low, std::int64_t high) {
    if (random.one_in(6)) return std::to_string(random.one_in(2) ? low : high);
    return std::to_string(static_cast<std::int64_t>(random.below(400)) - 200);
  };
  switch (type.kind) {
    case SchemaKind::kNull:
      return "null";
    case SchemaKind::kBoolean:
      return random.one_in(2) ? "true" : "false";
    case SchemaKind::kInt:
      return number(INT32_MIN, INT32_MAX);
    case SchemaKind::kLong:
      return number(INT64_MIN, INT64_MAX);
    case SchemaKind::kFloat:
    case SchemaKind::kDouble:
      if (random.one_in(12)) return random.one_in(2) ? "\"NaN\"" : "\"-Infinity\"";
      return number(-1000, 1000) + (random.one_in(2) ? ".25" : ".0");
    case SchemaKind::kBytes:
      return random_bytes(random, random.below(5));
    case SchemaKind::kString:
      return random_text(random);
    case SchemaKind::kFixed:
      return random_bytes(random, type.size);
    case SchemaKind::kEnum:
      return "\"" + random.pick(type.symbols) + "\"";
    case SchemaKind::kArray:
    case SchemaKind::kMap: {
      const bool is_array = type.kind == SchemaKind::kArray;
      std::string json(1, is_array ? '[' : '{');
      const std::size_t count = depth > 6 ? 0 : random.below(4);
      for (std::size_t i = 0; i < count; ++i) {
        if (i > 0) json += ',';
        if (!is_array) json += random.one_in(4) && i == 0 ? "\"map\":" : "\"k" + std::to_string(i) + "\":";
        json += random_value(random, *type.element, depth + 1);
      }
      return json + (is_array ? ']' : '}');
    }
    case SchemaKind::kRecord: {
      std::string json = "{";
      for (const SchemaField& field : type.fields) {
        if (json.size() > 1) json += ',';
        json += "\"" + field.name + "\":" + random_value(random, *field.type, depth + 1);
      }
      return json + "}";
    }
    case SchemaKind::kUnion: {
      // At the depth limit only types without parts.
      const SchemaNode* branch = random.pick(type.branches);
      if (depth > 6) branch = type.branches.front();
      if (branch->kind == SchemaKind::kNull) return "null";
      std::string tagged = "{\"" + type_name(*branch) + "\":";
      tagged += random_value(random, *branch, depth + 1);
      return tagged + "}";
    }
  }
  return "";
}

}  // namespace cairn::test
