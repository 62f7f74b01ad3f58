#include "schemaregistry/codec/encode_run.h"

#include <algorithm>
#include <utility>

#include "eventstore/base/limits.h"
#include "eventstore/json/json_text.h"
#include "schemaregistry/codec/avro_bytes.h"
#include "schemaregistry/codec/data_limits.h"
#include "schemaregistry/codec/wanted_value.h"
#include "schemaregistry/model/json_scalar.h"

namespace cairn {

namespace {

// Trying a value with several types of a union, and its parts again, is exponential in the worst case. Real
// data needs few steps for each value, and a value has at least a byte.
constexpr std::size_t kStepsPerByte = 32;
constexpr std::size_t kStepsFloor = 1'000'000;

std::string pointer_part(std::string_view name) {
  std::string part;
  for (const char c : name) {
    if (c == '~') {
      part += "~0";
    } else if (c == '/') {
      part += "~1";
    } else {
      part += c;
    }
  }
  return part;
}

bool has_parts_of_its_own(SchemaKind kind) {
  return kind == SchemaKind::kRecord || kind == SchemaKind::kArray || kind == SchemaKind::kMap;
}

// Whether the names of an object are those of a record: each a field, and none missing that has no default.
bool has_shape_of(const EncodeNode& node, const std::vector<std::string>& names) {
  if (node.type->kind == SchemaKind::kMap) return true;
  if (node.type->kind != SchemaKind::kRecord) return false;
  std::size_t required_there = 0;
  for (const std::string& name : names) {
    const int at = node.place_of(name);
    if (at < 0) return false;
    if (!node.type->fields[static_cast<std::size_t>(at)].default_json) ++required_there;
  }
  return required_there == static_cast<std::size_t>(std::count_if(
                               node.type->fields.begin(), node.type->fields.end(),
                               [](const SchemaField& field) { return !field.default_json.has_value(); }));
}

}  // namespace

EncodeRun::EncodeRun(std::string_view json, UnionStyle style, std::string& to)
    : json_(json), style_(style), out_(to), steps_left_(kStepsFloor + kStepsPerByte * json.size()) {}

std::vector<DataFault> EncodeRun::encode(const EncodeNode& root) {
  start_ = out_.size();
  JsonCursor json(json_);
  value(root, json, Place{});
  if (empty_values_ > kEmptyValuesMax + (out_.size() - start_)) {
    fault(Place{}, "at most " + std::to_string(kEmptyValuesMax) + " values that take no bytes", "more");
  }
  if (fault_count_ > 0) out_.resize(start_);
  return std::move(faults_);
}

void EncodeRun::value(const EncodeNode& node, JsonCursor& json, const Place& place) {
  if (stopped_) {
    json.take_raw();
    return;
  }
  if (steps_left_ == 0)
    return fault(place, "data whose unions can be told apart in fewer tries", json.take_raw());
  --steps_left_;
  const bool has_parts = has_parts_of_its_own(node.type->kind);
  if (has_parts) deepest_ = std::max(deepest_, place.depth + 1);
  if (has_parts && place.depth >= kDataDepthMax) {
    return fault(place, "at most " + std::to_string(kDataDepthMax) + " levels", json.take_raw());
  }
  const JsonKind kind = json.kind();
  switch (node.type->kind) {
    case SchemaKind::kRecord:
      if (kind == JsonKind::kObject) return record(node, json, place);
      break;
    case SchemaKind::kArray:
      if (kind == JsonKind::kArray) return array(node, json, place);
      break;
    case SchemaKind::kMap:
      if (kind == JsonKind::kObject) return map(node, json, place);
      break;
    case SchemaKind::kUnion:
      return one_of(node, json, place);
    default: {
      const std::string_view raw = json.take_raw();
      if (!scalar(node, kind, raw)) misfit(place, node, raw);
      if (node.type->kind == SchemaKind::kNull ||
          (node.type->kind == SchemaKind::kFixed && node.type->size == 0)) {
        ++empty_values_;
      }
      return check_size(place);
    }
  }
  misfit(place, node, json.take_raw());
}

bool EncodeRun::scalar(const EncodeNode& node, JsonKind kind, std::string_view raw) {
  // In a schema "NaN" is a text.
  const bool may_be_decimal = kind == JsonKind::kNumber || style_ == UnionStyle::kPlainOrTagged;
  switch (node.type->kind) {
    case SchemaKind::kNull:
      return kind == JsonKind::kNull;
    case SchemaKind::kBoolean:
      if (kind != JsonKind::kBool) return false;
      out_ += raw.front() == 't' ? '\1' : '\0';
      return true;
    case SchemaKind::kInt:
      if (const auto number = whole_number<std::int32_t>(kind, raw)) {
        append_avro_long(out_, *number);
        return true;
      }
      return false;
    case SchemaKind::kLong:
      if (const auto number = whole_number<std::int64_t>(kind, raw)) {
        append_avro_long(out_, *number);
        return true;
      }
      return false;
    case SchemaKind::kFloat:
      if (const auto number = decimal_number<float>(kind, raw); number && may_be_decimal) {
        append_avro_float(out_, *number);
        return true;
      }
      return false;
    case SchemaKind::kDouble:
      if (const auto number = decimal_number<double>(kind, raw); number && may_be_decimal) {
        append_avro_float(out_, *number);
        return true;
      }
      return false;
    case SchemaKind::kString:
      if (kind != JsonKind::kString) return false;
      append_avro_bytes(out_, text_of(raw));
      return true;
    case SchemaKind::kEnum: {
      if (kind != JsonKind::kString) return false;
      const int symbol = node.place_of(text_of(raw));
      if (symbol >= 0) append_avro_long(out_, symbol);
      return symbol >= 0;
    }
    case SchemaKind::kBytes: {
      if (kind != JsonKind::kString) return false;
      const auto bytes = bytes_of_text(text_of(raw));
      if (bytes) append_avro_bytes(out_, *bytes);
      return bytes.has_value();
    }
    case SchemaKind::kFixed: {
      if (kind != JsonKind::kString) return false;
      const auto bytes = bytes_of_text(text_of(raw));
      if (!bytes || bytes->size() != node.type->size) return false;
      out_ += *bytes;
      return true;
    }
    default:
      return false;
  }
}

void EncodeRun::record(const EncodeNode& node, JsonCursor& json, const Place& place) {
  const std::size_t start = out_.size();
  const std::size_t first_slot = slots_.size();
  bool in_order = true;
  std::size_t next = 0;
  json.enter_object();
  while (const auto name = json.next_name()) {
    const Place here = place.member(*name);
    const bool is_next = next < node.fields.size() && node.fields[next].name == *name;
    const int at = is_next ? static_cast<int>(next) : node.place_of(*name);
    if (at < 0) {
      const std::string_view raw = json.take_raw();
      fault(here, counts_only() ? std::string() : "no such field in " + node.type->name.full(), raw);
      continue;
    }
    const std::size_t begin = out_.size();
    value(*node.fields[static_cast<std::size_t>(at)].type, json, here);
    slots_.push_back({static_cast<std::size_t>(at), begin, out_.size()});
    in_order = in_order && is_next;
    ++next;
  }
  if (node.fields.empty()) ++empty_values_;
  if (!in_order || next != node.fields.size()) put_fields_in_order(node, start, first_slot, place);
  slots_.resize(first_slot);
}

void EncodeRun::put_fields_in_order(const EncodeNode& node, std::size_t start, std::size_t first_slot,
                                    const Place& place) {
  const std::string written = out_.substr(start);
  out_.resize(start);
  const std::vector<Slot> given(slots_.begin() + static_cast<std::ptrdiff_t>(first_slot), slots_.end());
  slots_.resize(first_slot);
  std::vector<const Slot*> slots(node.fields.size(), nullptr);
  for (const Slot& slot : given) slots[slot.field] = &slot;
  for (std::size_t i = 0; i < node.fields.size(); ++i) {
    const EncodeField& field = node.fields[i];
    if (const Slot* slot = slots[i]) {
      out_.append(written, slot->begin - start, slot->end - slot->begin);
    } else if (field.default_bytes) {
      paste_default(field, place);
    } else if (const auto& json = node.type->fields[i].default_json) {
      JsonCursor cursor(*json);  // a default within a default is not encoded yet
      value(*field.type, cursor, place.member(field.name));
    } else {
      misfit(place.member(field.name), *field.type, "nothing");
    }
    if (stopped_) return;
  }
}

// The default was encoded at depth 0; here it is nested, so the depth is checked again.
void EncodeRun::paste_default(const EncodeField& field, const Place& place) {
  const std::size_t depth = place.depth + 1 + field.default_depth;
  if (field.default_depth > 0 && depth > kDataDepthMax) {
    return fault(place.member(field.name), "at most " + std::to_string(kDataDepthMax) + " levels",
                 "the default");
  }
  if (field.default_depth > 0) deepest_ = std::max(deepest_, depth);
  out_ += *field.default_bytes;
  empty_values_ += field.default_empty;
  check_size(place);
}

void EncodeRun::check_size(const Place& place) {
  const bool too_large = out_.size() - start_ > limits::kEventBytesMax ||
                         empty_values_ > kEmptyValuesMax + limits::kEventBytesMax;
  if (!too_large || stopped_) return;
  stopped_ = true;
  fault(place, "at most " + std::to_string(limits::kEventBytesMax) + " bytes of Avro in all", "more");
}

void EncodeRun::array(const EncodeNode& node, JsonCursor& json, const Place& place) {
  const std::size_t start = out_.size();
  std::size_t items = 0;
  json.enter_array();
  while (json.next_element()) {
    value(*node.element, json, place.element(items));
    ++items;
  }
  close_block(start, items);
}

void EncodeRun::map(const EncodeNode& node, JsonCursor& json, const Place& place) {
  const std::size_t start = out_.size();
  std::size_t items = 0;
  json.enter_object();
  while (const auto name = json.next_name()) {
    append_avro_bytes(out_, *name);
    value(*node.element, json, place.member(*name));
    ++items;
  }
  close_block(start, items);
}

void EncodeRun::close_block(std::size_t start, std::size_t items) {
  if (items > 0) {
    std::string count;
    append_avro_long(count, static_cast<std::int64_t>(items));
    out_.insert(start, count);
  }
  out_ += '\0';
}

std::string_view EncodeRun::text_of(std::string_view raw) {
  const std::string_view inside = raw.substr(1, raw.size() - 2);
  if (inside.find('\\') == std::string_view::npos) return inside;
  scratch_ = json_unescaped(inside);
  return scratch_;
}

void EncodeRun::misfit(const Place& place, const EncodeNode& node, std::string_view found) {
  fault(place, counts_only() ? std::string() : wanted_value(*node.type), found);
}

void EncodeRun::fault(const Place& place, std::string expected, std::string_view found) {
  constexpr std::size_t kFoundBytesMax = 60;
  const bool kept = !counts_only() || stopped_;
  ++fault_count_;
  if (!kept || faults_.size() >= kDataFaultsMax) return;
  std::vector<std::string> parts;
  for (const Place* at = &place; at->up != nullptr; at = at->up) {
    parts.push_back(at->is_index ? std::to_string(at->index) : pointer_part(at->name));
  }
  DataFault fault{.path = "", .expected = std::move(expected), .found = {}};
  for (auto part = parts.rbegin(); part != parts.rend(); ++part) fault.path += "/" + *part;
  fault.found = found.substr(0, kFoundBytesMax);
  if (found.size() > kFoundBytesMax) fault.found += "…";
  faults_.push_back(std::move(fault));
}

// --- Unions: which type of a union a value is meant for ---------------------------------------------------

void EncodeRun::one_of(const EncodeNode& node, JsonCursor& json, const Place& place) {
  const JsonKind kind = json.kind();
  if (kind == JsonKind::kObject) return one_of_objects(node, json, place);
  JsonCursor ahead = json;
  const std::string_view raw = kind == JsonKind::kArray ? std::string_view() : ahead.take_raw();
  const int index = choose(node, kind, raw);
  if (index < 0) return misfit(place, node, json.take_raw());
  branch(node, index, json, place);
}

int EncodeRun::choose(const EncodeNode& node, JsonKind kind, std::string_view raw) {
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
    const std::size_t before = out_.size();
    const bool fits = scalar(candidate, kind, raw);
    out_.resize(before);
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

void EncodeRun::one_of_objects(const EncodeNode& node, JsonCursor& json, const Place& place) {
  const JsonCursor begin = json;
  json.take_raw();
  std::vector<std::string> names;
  JsonCursor inside = begin;
  JsonCursor first_value = begin;
  inside.enter_object();
  while (auto name = inside.next_name()) {
    if (names.empty()) first_value = inside;
    names.push_back(*std::move(name));
    inside.take_raw();
  }

  std::vector<int> objects;
  for (std::size_t i = 0; i < node.branches.size(); ++i) {
    if (json_group(node.branches[i]->type->kind) == JsonGroup::kObject)
      objects.push_back(static_cast<int>(i));
  }
  if (style_ == UnionStyle::kPlainOrTagged && names.size() == 1) {
    const int tagged = node.form->branch_of(names.front());
    if (tagged >= 0) {
      const Place here = place.tagged(names.front());
      if (objects.empty()) return branch(node, tagged, first_value, here);
      if (try_branch(node, tagged, first_value, here)) return;
    }
  }
  if (objects.size() > 1) {
    steps_left_ -= std::min(steps_left_, objects.size() * names.size());
    std::erase_if(objects, [&](int index) {
      return !has_shape_of(*node.branches[static_cast<std::size_t>(index)], names);
    });
    while (objects.size() > 1) {
      if (try_branch(node, objects.front(), begin, place)) return;
      objects.erase(objects.begin());
    }
  }
  JsonCursor again = begin;
  if (objects.empty()) return misfit(place, node, again.take_raw());
  branch(node, objects.front(), again, place);
}

void EncodeRun::branch(const EncodeNode& node, int index, JsonCursor& json, const Place& place) {
  append_avro_long(out_, index);
  value(*node.branches[static_cast<std::size_t>(index)], json, place);
}

bool EncodeRun::try_branch(const EncodeNode& node, int index, JsonCursor json, const Place& place) {
  const std::size_t start = out_.size();
  const std::size_t known_faults = fault_count_;
  const std::size_t kept_faults = faults_.size();
  const std::size_t empty_values = empty_values_;
  const std::size_t deepest = deepest_;
  ++trials_;
  branch(node, index, json, place);
  --trials_;
  if (fault_count_ == known_faults) return true;
  if (stopped_) return true;  // a value that is too large is too large for every type
  out_.resize(start);
  fault_count_ = known_faults;
  faults_.resize(kept_faults);
  empty_values_ = empty_values;
  deepest_ = deepest;
  return false;
}

}  // namespace cairn
