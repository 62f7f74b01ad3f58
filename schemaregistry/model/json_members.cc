#include "schemaregistry/model/json_members.h"

#include "eventstore/json/json_cursor.h"
#include "eventstore/json/json_text.h"

namespace cairn {

namespace {

// Recurses as deep as the value is nested, which check_json() has bounded.
void append_value(std::string& to, JsonCursor& cursor) {
  bool first = true;
  switch (cursor.kind()) {
    case JsonKind::kObject:
      to += '{';
      cursor.enter_object();
      while (const auto name = cursor.next_name()) {
        if (!first) to += ',';
        first = false;
        append_json_string(to, *name);
        to += ':';
        append_value(to, cursor);
      }
      to += '}';
      break;
    case JsonKind::kArray:
      to += '[';
      cursor.enter_array();
      while (cursor.next_element()) {
        if (!first) to += ',';
        first = false;
        append_value(to, cursor);
      }
      to += ']';
      break;
    case JsonKind::kString:
      append_json_string(to, cursor.take_string());
      break;
    case JsonKind::kNumber:
    case JsonKind::kBool:
    case JsonKind::kNull:
      to += cursor.take_raw();
      break;
  }
}

}  // namespace

JsonMembers::JsonMembers(std::string_view object) {
  JsonCursor cursor(object);
  cursor.enter_object();
  while (auto name = cursor.next_name()) {
    members_.push_back({*std::move(name), cursor.take_raw()});
  }
}

const JsonMembers::Member* JsonMembers::find(std::string_view name) const {
  for (const Member& member : members_) {
    if (member.name == name) return &member;
  }
  return nullptr;
}

void append_plain_json(std::string& to, std::string_view raw) {
  JsonCursor cursor(raw);
  append_value(to, cursor);
}

}  // namespace cairn
