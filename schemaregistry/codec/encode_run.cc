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

// Trying a value with several types of a union, and its parts again, could take for ever. Honest data needs
// few steps for each value, and a value has at least a byte.
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
      JsonCursor cursor(*json);  // Defaults are being written themselves.
      value(*field.type, cursor, place.member(field.name));
    } else {
      misfit(place.member(field.name), *field.type, "nothing");
    }
    if (stopped_) return;
  }
}

// It was written for the top; here it stands deeper.
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

}  // namespace cairn
