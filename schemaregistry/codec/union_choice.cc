#include "schemaregistry/codec/union_choice.h"

#include <algorithm>

#include "schemaregistry/codec/data_limits.h"

namespace cairn {

namespace {

// Scanning so many bytes takes about as long as visiting a value.
constexpr std::size_t kBytesPerStep = 64;

// What is remembered of one value of a union that is in no other. A value that needs more has a schema with
// hundreds of records of the same names.
constexpr std::size_t kAnswersMax = 1'000'000;

// Whether the names of an object are those of a record: each a field, and none missing that has no default.
bool has_shape_of(const EncodeNode& node, const std::vector<std::string>& names, std::uint64_t& compared) {
  if (node.type->kind == SchemaKind::kMap) return true;
  std::size_t required_there = 0;
  for (const std::string& name : names) {
    ++compared;
    const int at = node.place_of(name);
    if (at < 0) return false;
    if (!node.type->fields[static_cast<std::size_t>(at)].default_json) ++required_there;
  }
  return required_there == node.required_fields;
}

}  // namespace

int UnionChoice::for_value(const EncodeNode& node, JsonKind kind, std::string_view raw) {
  int only_one_of_its_group = -1;
  std::size_t group_size = 0;
  int second_choice = -1;
  const bool is_whole = kind == JsonKind::kNumber && raw.find_first_of(".eE") == std::string_view::npos;
  for (std::size_t i = 0; i < node.branches.size(); ++i) {
    const int index = static_cast<int>(i);
    const EncodeNode& candidate = *node.branches[i];
    const JsonGroup group = json_group(candidate.type->kind);
    if (group == JsonGroup::kObject) continue;
    if (group == JsonGroup::kArray) {
      if (kind == JsonKind::kArray) return index;
      continue;
    }
    if (kind == JsonKind::kArray) continue;
    const bool fits = fits_scalar(candidate, kind, raw);
    // An integer prefers an integer type, and a text a string type, wherever they stand in the union.
    const bool may_be_other = style_ == UnionStyle::kPlainOrTagged && group == JsonGroup::kDecimal &&
                              (is_whole || kind == JsonKind::kString);
    if (fits && !may_be_other) return index;
    if (fits && second_choice < 0) second_choice = index;
    if ((group == JsonGroup::kText && kind == JsonKind::kString) ||
        (group == JsonGroup::kInteger && kind == JsonKind::kNumber)) {
      only_one_of_its_group = index;
      ++group_size;
    }
  }
  if (second_choice >= 0) return second_choice;
  return group_size == 1 ? only_one_of_its_group : -1;  // the type's own fault says more than the union's
}

UnionChoice::Object UnionChoice::for_object(const EncodeNode& node, const JsonCursor& json,
                                            std::size_t depth) {
  const std::vector<std::uint32_t>& objects = node.object_branches;
  JsonCursor inside = json;
  inside.enter_object();
  const auto first = inside.next_name();
  if (first && style_ == UnionStyle::kPlainOrTagged) {
    const int tagged = node.form->branch_of(*first);
    JsonCursor value = inside;
    if (tagged >= 0 && is_last_member(inside)) {
      if (objects.empty() || fits(*node.branches[static_cast<std::size_t>(tagged)], value, depth)) {
        return {.index = tagged, .is_tagged = true};
      }
    }
  }
  if (objects.empty()) return {};
  if (objects.size() == 1) return {.index = static_cast<int>(objects.front())};

  const std::vector<std::string> names = names_of(json);
  int last = -1;
  for (const std::uint32_t index : objects) {
    std::uint64_t compared = 1;
    const bool may_be = has_shape_of(*node.branches[index], names, compared);
    if (!budget_.charge(compared)) return {};
    if (!may_be) continue;
    if (JsonCursor again = json;
        last >= 0 && fits(*node.branches[static_cast<std::size_t>(last)], again, depth)) {
      return {.index = last};
    }
    last = static_cast<int>(index);
  }
  return {.index = last};
}

bool UnionChoice::is_last_member(JsonCursor& value) {
  skip(value);
  return !value.next_name();
}

std::vector<std::string> UnionChoice::names_of(JsonCursor json) {
  std::vector<std::string> names;
  json.enter_object();
  while (auto name = json.next_name()) {
    names.push_back(*std::move(name));
    skip(json);
  }
  return names;
}

// --- Whether a value fits a type --------------------------------------------------------------------------

bool UnionChoice::fits(const EncodeNode& node, JsonCursor& json, std::size_t depth) {
  if (!budget_.charge()) return false;
  const JsonKind kind = json.kind();
  if (kind != JsonKind::kObject && kind != JsonKind::kArray) {
    if (node.type->kind == SchemaKind::kUnion) return fits_union(node, json, depth);
    return fits_scalar(node, kind, json.take_raw());
  }
  const Extent* const extent = find_extent(json);
  if (extent == nullptr) return fits_parts(node, json, depth);
  const Question question{&node, json.at(), depth};
  if (const auto known = answers_.find(question); known != answers_.end()) {
    if (known->second) json.move_past(extent->end);
    return known->second;
  }
  const bool does_fit = fits_parts(node, json, depth);
  if (answers_.size() < kAnswersMax) {
    answers_.emplace(question, does_fit);
  } else {
    static_cast<void>(budget_.charge(WorkLimits::kNoSteps));
  }
  return does_fit;
}

bool UnionChoice::fits_scalar(const EncodeNode& node, JsonKind kind, std::string_view raw) {
  if (!budget_.charge(1 + raw.size() / kBytesPerStep)) return false;
  const bool does_fit = append_scalar(node, style_, kind, raw, scratch_);
  scratch_.clear();
  return does_fit;
}

bool UnionChoice::fits_parts(const EncodeNode& node, JsonCursor& json, std::size_t depth) {
  const SchemaKind kind = node.type->kind;
  if (kind == SchemaKind::kUnion) return fits_union(node, json, depth);
  if (depth >= kDataDepthMax) return false;
  const bool is_array = json.kind() == JsonKind::kArray;
  if (kind == SchemaKind::kArray && is_array) {
    json.enter_array();
    while (json.next_element()) {
      if (!fits(*node.element, json, depth + 1)) return false;
    }
    return true;
  }
  if (kind == SchemaKind::kMap && !is_array) {
    json.enter_object();
    while (json.next_name()) {
      if (!fits(*node.element, json, depth + 1)) return false;
    }
    return true;
  }
  return kind == SchemaKind::kRecord && !is_array && fits_record(node, json, depth);
}

bool UnionChoice::fits_record(const EncodeNode& node, JsonCursor& json, std::size_t depth) {
  // A default may nest too deep here, or must itself be tried while the schema is compiled.
  const bool with_defaults = !node.has_default_bytes || depth + 1 + node.default_depth_max > kDataDepthMax;
  std::vector<bool> given;
  if (with_defaults) {
    if (!budget_.charge(node.fields.size())) return false;
    given.resize(node.fields.size());
  }
  std::size_t required_there = 0;
  std::size_t next = 0;
  json.enter_object();
  while (const auto name = json.next_name()) {
    const bool is_next = next < node.fields.size() && node.fields[next].name == *name;
    const int found = is_next ? static_cast<int>(next) : node.place_of(*name);
    if (found < 0) return false;
    const auto at = static_cast<std::size_t>(found);
    if (!fits(*node.fields[at].type, json, depth + 1)) return false;
    if (!node.type->fields[at].default_json) ++required_there;
    if (with_defaults) given[at] = true;
    ++next;
  }
  if (required_there != node.required_fields) return false;
  for (std::size_t i = 0; i < given.size(); ++i) {
    if (!given[i] && !fits_default(node, i, depth + 1)) return false;
  }
  return true;
}

bool UnionChoice::fits_default(const EncodeNode& node, std::size_t at, std::size_t depth) {
  const EncodeField& field = node.fields[at];
  if (field.default_bytes) return field.default_depth == 0 || depth + field.default_depth <= kDataDepthMax;
  JsonCursor json(*node.type->fields[at].default_json);
  return fits(*field.type, json, depth);
}

bool UnionChoice::fits_union(const EncodeNode& node, JsonCursor& json, std::size_t depth) {
  const JsonKind kind = json.kind();
  if (kind == JsonKind::kObject) {
    const Object chosen = for_object(node, json, depth);
    if (chosen.index < 0) return false;
    const EncodeNode& branch = *node.branches[static_cast<std::size_t>(chosen.index)];
    if (!chosen.is_tagged) return fits(branch, json, depth);
    json.enter_object();
    json.next_name();
    if (!fits(branch, json, depth)) return false;
    json.next_name();  // moves past the object
    return true;
  }
  JsonCursor ahead = json;
  const int index = for_value(node, kind, kind == JsonKind::kArray ? std::string_view() : ahead.take_raw());
  return index >= 0 && fits(*node.branches[static_cast<std::size_t>(index)], json, depth);
}

void UnionChoice::forget() {
  if (!answers_.empty()) answers_ = {};  // clear() takes time for all buckets that were ever needed
}

// --- The ends of objects and arrays -----------------------------------------------------------------------

void UnionChoice::skip(JsonCursor& json) {
  const JsonKind kind = json.kind();
  const Extent* const extent =
      kind == JsonKind::kObject || kind == JsonKind::kArray ? find_extent(json) : nullptr;
  if (extent == nullptr) {
    json.take_raw();
  } else {
    json.move_past(extent->end);
  }
}

const UnionChoice::Extent* UnionChoice::find_extent(const JsonCursor& json) {
  const std::string_view text = json.text();
  auto known = extents_.find(text.data());
  if (known == extents_.end()) known = extents_.emplace(text.data(), extents_of(text)).first;
  const std::vector<Extent>& extents = known->second;
  const auto found = std::lower_bound(extents.begin(), extents.end(), json.at(),
                                      [](const Extent& extent, const char* at) { return extent.begin < at; });
  return found == extents.end() || found->begin != json.at() ? nullptr : &*found;
}

std::vector<UnionChoice::Extent> UnionChoice::extents_of(std::string_view text) {
  static_cast<void>(budget_.charge(text.size() / kBytesPerStep));
  constexpr std::size_t kNotListed = static_cast<std::size_t>(-1);
  struct Open {
    const char* begin;
    std::size_t listed_at = kNotListed;
  };
  std::vector<Extent> extents;
  std::vector<Open> open;
  const char* const end = text.data() + text.size();
  for (const char* at = text.data(); at != end; ++at) {
    switch (*at) {
      case '"':
        for (++at; *at != '"'; ++at) {
          if (*at == '\\') ++at;
        }
        break;
      case '{':
      case '[':
        // The one around it is listed when its first part begins, so that the list is in order.
        if (!open.empty() && open.back().listed_at == kNotListed) {
          open.back().listed_at = extents.size();
          extents.push_back({.begin = open.back().begin});
        }
        open.push_back({.begin = at});
        break;
      case '}':
      case ']':
        if (open.back().listed_at != kNotListed) extents[open.back().listed_at].end = at + 1;
        open.pop_back();
        break;
      default:
        break;
    }
  }
  return extents;
}

}  // namespace cairn
