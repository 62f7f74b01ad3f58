#include "projections/event_fields.h"

#include <fmt/format.h>

#include <charconv>

#include "eventstore/base/names.h"
#include "eventstore/json/json_check.h"
#include "eventstore/json/json_cursor.h"
#include "eventstore/json/json_text.h"
#include "projections/readmodel/read_model.h"

namespace cairn {

namespace {

using Kind = FieldValue::Kind;

void take_number(std::string_view raw, FieldValue& to) {
  const char* const end = raw.data() + raw.size();
  if (raw.find_first_of(".eE") == std::string_view::npos) {
    to.kind = Kind::kInteger;
    if (std::from_chars(raw.data(), end, to.integer).ec == std::errc()) return;
  }
  to.kind = Kind::kDecimal;  // Also an integer that does not fit into 64 bits.
  std::from_chars(raw.data(), end, to.decimal);
}

void take_value(JsonCursor& at, std::string& scratch, FieldValue& to) {
  const JsonKind kind = at.kind();
  const std::string_view raw = at.take_raw();
  switch (kind) {
    case JsonKind::kNull:
      to.kind = Kind::kNull;
      return;
    case JsonKind::kBool:
      to.kind = Kind::kBoolean;
      to.integer = raw == "true" ? 1 : 0;
      return;
    case JsonKind::kNumber:
      return take_number(raw, to);
    case JsonKind::kString: {
      to.kind = Kind::kText;
      to.text = raw.substr(1, raw.size() - 2);
      if (to.text.find('\\') == std::string_view::npos) return;
      const std::size_t begin = scratch.size();
      scratch += json_unescaped(to.text);
      to.text = std::string_view(scratch).substr(begin);
      return;
    }
    case JsonKind::kObject:
    case JsonKind::kArray:
      to.kind = Kind::kOther;
      return;
  }
}

Status read_json_fields(std::string_view json, std::span<const std::string_view> names,
                        std::span<FieldValue> values, std::string& scratch) {
  if (const auto fault = check_json(json)) {
    return make_error(Errc::kInvalidArgument,
                      fmt::format("the data is no JSON: {}, at byte {}", fault->message, fault->offset));
  }
  JsonCursor at(json);
  if (at.kind() != JsonKind::kObject) return {};
  scratch.clear();
  scratch.reserve(json.size());  // Unescaped texts are not longer, so views stay valid.
  at.enter_object();
  while (const auto name = at.next_name()) {
    std::size_t i = 0;
    while (i < names.size() && names[i] != *name) ++i;
    if (i < names.size()) {
      take_value(at, scratch, values[i]);
    } else {
      at.take_raw();
    }
  }
  return {};
}

std::string_view text_of(Kind kind) {
  switch (kind) {
    case Kind::kMissing:
      return "missing";
    case Kind::kNull:
      return "null";
    case Kind::kBoolean:
      return "a boolean";
    case Kind::kInteger:
      return "an integer";
    case Kind::kDecimal:
      return "a number that is not an integer";
    case Kind::kText:
      return "a string";
    case Kind::kOther:
      return "an object or an array";
  }
  return "something else";
}

}  // namespace

Status read_fields(const ShapedEvent& part, std::span<const std::string_view> names,
                   std::span<FieldValue> values, std::string& scratch) {
  for (FieldValue& value : values) value.kind = Kind::kMissing;
  if (!part.content_type.empty()) return {};  // opaque data has no fields
  if (part.plan == nullptr) return read_json_fields(part.data, names, values, scratch);
  FieldSink sink(names, values);
  return part.read(sink);
}

Error wrong_field(std::string_view type, std::string_view name, const FieldValue& found,
                  std::string_view wanted) {
  return make_error(Errc::kInvalidArgument, fmt::format("field '{}' of {} is {}, but {} is needed", name,
                                                        type, text_of(found.kind), wanted));
}

std::optional<Error> check_row_key(std::string_view key) {
  if (key.size() <= kRowKeyBytesMax && is_printable_name(key)) return std::nullopt;
  return make_error(
      Errc::kInvalidArgument,
      fmt::format("a row's key has at most {} bytes of UTF-8 without control characters, and this one {}{}",
                  kRowKeyBytesMax, key.size(), is_printable_name(key) ? "" : ", with such characters"));
}

}  // namespace cairn
