// Which type of a union a JSON value is meant for.

#include <algorithm>

#include "schemaregistry/codec/avro_bytes.h"
#include "schemaregistry/codec/encode_run.h"

namespace cairn {

namespace {

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
    // A whole number is meant for a whole number's type, and a text for a text's, wherever they stand in the
    // union.
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
  return group_size == 1 ? only_one_of_its_group : -1;  // Its own complaint says more.
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
  if (stopped_) return true;  // What is too large for one type is too large.
  out_.resize(start);
  fault_count_ = known_faults;
  faults_.resize(kept_faults);
  empty_values_ = empty_values;
  deepest_ = deepest;
  return false;
}

}  // namespace cairn
