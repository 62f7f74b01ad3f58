#include "schemaregistry/model/schema_default.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "eventstore/json/json_cursor.h"
#include "schemaregistry/model/json_members.h"
#include "schemaregistry/model/json_scalar.h"
#include "schemaregistry/model/parse_schema.h"

namespace cairn {

namespace {

// Long values are cut in messages, which also name the place.
std::string shown(std::string_view json) {
  constexpr std::size_t kShownBytes = 60;
  if (json.size() <= kShownBytes) return std::string(json);
  return std::string(json.substr(0, kShownBytes)) + "…";
}

std::string wanted(const SchemaNode& type) {
  switch (type.kind) {
    case SchemaKind::kInt:
      return "a whole number of 32 bits";
    case SchemaKind::kLong:
      return "a whole number of 64 bits";
    case SchemaKind::kBytes:
      return "a string of characters up to U+00FF, one for each byte";
    case SchemaKind::kFixed:
      return "a string of " + std::to_string(type.size) + " characters up to U+00FF, one for each byte of " +
             type.name.full();
    case SchemaKind::kEnum:
      return "a symbol of the enum " + type.name.full();
    case SchemaKind::kRecord:
      return "an object with the fields of " + type.name.full();
    case SchemaKind::kArray:
      return "an array";
    case SchemaKind::kMap:
      return "an object";
    case SchemaKind::kUnion:
      return "a value of one of the union's types";
    default:
      return "a value of type " + std::string(to_string(type.kind));
  }
}

std::string too_large() {
  return fmt::format(
      "the defaults of the schema, with those of the fields they leave out, spell out to more than {} "
      "values, or "
      "more than {} deep",
      kDefaultValuesMax, kDefaultDepthMax);
}

}  // namespace

std::optional<std::string> DefaultChecker::check(const SchemaField& field) {
  Outcome outcome = check_field(field);
  values_ += outcome.values;
  if (!outcome.fault && values_ > kDefaultValuesMax) outcome.fault = too_large();
  return outcome.fault;
}

DefaultChecker::Outcome DefaultChecker::check_field(const SchemaField& field) {
  const auto [known, is_new] = known_.try_emplace(&field);
  if (!is_new) {
    if (known->second) return *known->second;
    return refused([&] {
      return "the default of \"" + field.name + "\" leaves out fields whose defaults lead back to it";
    });
  }
  // The outcome is kept, and its fault reported for the field itself.
  const std::size_t trials = std::exchange(trials_, 0);
  Outcome outcome = check_value(*field.type, *field.default_json, Place{});
  trials_ = trials;
  known_[&field] = outcome;
  return outcome;
}

DefaultChecker::Outcome DefaultChecker::check_value(const SchemaNode& type, std::string_view json,
                                                    const Place& place) {
  steps_ += 1 + json.size() / kSchemaBytesPerStep;
  if (!charge()) return {.fault = "the defaults take too many steps to check"};
  const JsonKind kind = JsonCursor(json).kind();
  switch (type.kind) {
    case SchemaKind::kUnion:
      for (const SchemaNode* branch : type.branches) {
        ++trials_;
        Outcome outcome = check_value(*branch, json, place);
        --trials_;
        if (!outcome.fault || is_over()) return outcome;
      }
      break;
    case SchemaKind::kArray:
      if (kind == JsonKind::kArray) return check_parts(type, json, place);
      break;
    case SchemaKind::kMap:
    case SchemaKind::kRecord:
      if (kind == JsonKind::kObject) return check_parts(type, json, place);
      break;
    default:
      if (fits(type, json)) return {.values = 1};
  }
  return refused([&] { return described(place) + " is " + shown(json) + ", not " + wanted(type); });
}

bool DefaultChecker::charge() {
  const std::size_t steps = steps_ - std::exchange(charged_, steps_);
  return (budget_ == nullptr || budget_->charge(steps)) && !is_over();
}

bool DefaultChecker::fits(const SchemaNode& type, std::string_view json) {
  JsonCursor cursor(json);
  const JsonKind kind = cursor.kind();
  switch (type.kind) {
    case SchemaKind::kNull:
      return kind == JsonKind::kNull;
    case SchemaKind::kBoolean:
      return kind == JsonKind::kBool;
    case SchemaKind::kInt:
      return whole_number<std::int32_t>(kind, json).has_value();
    case SchemaKind::kLong:
      return whole_number<std::int64_t>(kind, json).has_value();
    case SchemaKind::kFloat:
      return kind == JsonKind::kNumber && decimal_number<float>(kind, json).has_value();
    case SchemaKind::kDouble:
      return kind == JsonKind::kNumber && decimal_number<double>(kind, json).has_value();
    case SchemaKind::kString:
      return kind == JsonKind::kString;
    case SchemaKind::kBytes:
      return kind == JsonKind::kString && bytes_of_text(cursor.take_string()).has_value();
    case SchemaKind::kFixed:
      if (kind != JsonKind::kString) return false;
      if (const auto bytes = bytes_of_text(cursor.take_string())) return bytes->size() == type.size;
      return false;
    case SchemaKind::kEnum:
      return kind == JsonKind::kString && is_symbol(type, cursor.take_string());
    default:
      return false;
  }
}

// An enum of many symbols may be the type of many values.
bool DefaultChecker::is_symbol(const SchemaNode& type, std::string_view text) {
  const auto [known, is_new] = symbols_.try_emplace(&type);
  if (is_new) {
    known->second.insert(type.symbols.begin(), type.symbols.end());
    steps_ += type.symbols.size();
  }
  return known->second.contains(text);
}

DefaultChecker::Outcome DefaultChecker::check_parts(const SchemaNode& type, std::string_view json,
                                                    const Place& place) {
  // Omitted fields get their own defaults, so the value can nest deeper than any text.
  if (depth_ == kDefaultDepthMax) return {.fault = too_large()};
  ++depth_;
  Outcome outcome =
      type.kind == SchemaKind::kRecord ? check_record(type, json, place) : check_elements(type, json, place);
  --depth_;
  return outcome;
}

DefaultChecker::Outcome DefaultChecker::check_elements(const SchemaNode& type, std::string_view json,
                                                       const Place& place) {
  Outcome all{.values = 1};
  JsonCursor cursor(json);
  const bool is_map = type.kind == SchemaKind::kMap;
  is_map ? cursor.enter_object() : cursor.enter_array();
  for (std::size_t index = 0;; ++index) {
    std::string name;
    if (is_map) {
      auto next = cursor.next_name();
      if (!next) break;
      name = *std::move(next);
    } else if (!cursor.next_element()) {
      break;
    }
    Outcome one = check_value(*type.element, cursor.take_raw(), {&place, name, index, !is_map});
    if (!add_part(all, std::move(one))) return all;
  }
  return all;
}

DefaultChecker::Outcome DefaultChecker::check_record(const SchemaNode& type, std::string_view json,
                                                     const Place& place) {
  const JsonMembers members(json);
  std::unordered_map<std::string_view, std::string_view> given;
  for (const auto& member : members) given.emplace(member.name, member.raw);
  steps_ += type.fields.size() + given.size();  // fields that are cached take no step of their own
  std::unordered_set<std::string_view> names;
  for (const SchemaField& field : type.fields) {
    if (!given.empty()) names.insert(field.name);
  }
  for (const auto& member : members) {
    if (names.contains(member.name)) continue;
    return refused([&] {
      return described(place) + " has \"" + shown(member.name) + "\", which is no field of " +
             type.name.full();
    });
  }
  Outcome all{.values = 1};
  for (const SchemaField& field : type.fields) {
    Outcome one;
    if (const auto value = given.find(field.name); value != given.end()) {
      one = check_value(*field.type, value->second, {&place, field.name});
    } else if (field.default_json) {
      one = check_field(field);
    } else {
      one = refused([&] {
        return described(place) + " has no \"" + field.name + "\", and this field of " + type.name.full() +
               " has no default of its own";
      });
    }
    if (!add_part(all, std::move(one))) return all;
  }
  return all;
}

// "the default at /lines/0".
std::string DefaultChecker::described(const Place& place) {
  std::vector<std::string> parts;
  for (const Place* at = &place; at->up != nullptr; at = at->up) {
    parts.push_back(at->is_index ? std::to_string(at->index) : shown(at->name));
  }
  std::string text = parts.empty() ? "the default" : "the default at ";
  for (auto part = parts.rbegin(); part != parts.rend(); ++part) text += "/" + *part;
  return text;
}

bool DefaultChecker::add_part(Outcome& whole, Outcome part) {
  if (part.fault) {
    whole = std::move(part);
    return false;
  }
  whole.values += part.values;
  whole.depth = std::max(whole.depth, part.depth + 1);
  if (whole.values > kDefaultValuesMax || whole.depth > kDefaultDepthMax) whole.fault = too_large();
  return !whole.fault;
}

}  // namespace cairn
