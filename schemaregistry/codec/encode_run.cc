#include "schemaregistry/codec/encode_run.h"

#include <algorithm>
#include <utility>

#include "eventstore/base/limits.h"
#include "schemaregistry/codec/avro_bytes.h"
#include "schemaregistry/codec/data_limits.h"
#include "schemaregistry/codec/wanted_value.h"

namespace cairn {

namespace {

// Each object is tried once with each type that its names fit, which is linear in its bytes for a given
// schema. Only a union of hundreds of records with the same names takes more steps than these.
constexpr std::uint64_t kStepsPerByte = 32;
constexpr std::uint64_t kStepsFloor = 100'000;

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
    : json_(json),
      style_(style),
      out_(to),
      budget_(WorkLimits{.steps = kStepsFloor + kStepsPerByte * json.size()}),
      choice_(style, budget_) {}

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
  if (!budget_.charge()) return too_much_work(place, json.take_raw());
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
      if (!append_scalar(node, style_, kind, raw, out_)) misfit(place, node, raw);
      if (node.type->kind == SchemaKind::kNull ||
          (node.type->kind == SchemaKind::kFixed && node.type->size == 0)) {
        ++empty_values_;
      }
      return check_size(place);
    }
  }
  misfit(place, node, json.take_raw());
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

void EncodeRun::too_much_work(const Place& place, std::string_view found) {
  if (stopped_) return;
  stopped_ = true;
  fault(place, "data whose unions can be told apart in fewer tries", found);
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
  const int index = choice_.for_value(node, kind, raw);
  if (index < 0) return misfit(place, node, json.take_raw());
  branch(node, index, json, place);
}

void EncodeRun::one_of_objects(const EncodeNode& node, JsonCursor& json, const Place& place) {
  ++open_unions_;
  const UnionChoice::Object chosen = choice_.for_object(node, json, place.depth);
  if (budget_.has_ended()) {
    too_much_work(place, json.take_raw());
  } else if (chosen.index < 0) {
    misfit(place, node, json.take_raw());
  } else if (chosen.is_tagged) {
    json.enter_object();
    const std::string tag = *json.next_name();
    branch(node, chosen.index, json, place.tagged(tag));
    json.next_name();  // moves past the object
  } else {
    branch(node, chosen.index, json, place);
  }
  if (--open_unions_ == 0) choice_.forget();
}

void EncodeRun::branch(const EncodeNode& node, int index, JsonCursor& json, const Place& place) {
  append_avro_long(out_, index);
  value(*node.branches[static_cast<std::size_t>(index)], json, place);
}

}  // namespace cairn
