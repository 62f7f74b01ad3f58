#include "schemaregistry/codec/encode_scalar.h"

#include "eventstore/json/json_text.h"
#include "schemaregistry/codec/avro_bytes.h"
#include "schemaregistry/model/json_scalar.h"

namespace cairn {

namespace {

// The text of a string without its escapes; in `scratch` when it has some.
std::string_view text_of(std::string_view raw, std::string& scratch) {
  const std::string_view inside = raw.substr(1, raw.size() - 2);
  if (inside.find('\\') == std::string_view::npos) return inside;
  scratch = json_unescaped(inside);
  return scratch;
}

}  // namespace

bool append_scalar(const EncodeNode& node, UnionStyle style, JsonKind kind, std::string_view raw,
                   std::string& to) {
  // In a schema "NaN" is a text.
  const bool may_be_decimal = kind == JsonKind::kNumber || style == UnionStyle::kPlainOrTagged;
  std::string scratch;
  switch (node.type->kind) {
    case SchemaKind::kNull:
      return kind == JsonKind::kNull;
    case SchemaKind::kBoolean:
      if (kind != JsonKind::kBool) return false;
      to += raw.front() == 't' ? '\1' : '\0';
      return true;
    case SchemaKind::kInt:
      if (const auto number = whole_number<std::int32_t>(kind, raw)) {
        append_avro_long(to, *number);
        return true;
      }
      return false;
    case SchemaKind::kLong:
      if (const auto number = whole_number<std::int64_t>(kind, raw)) {
        append_avro_long(to, *number);
        return true;
      }
      return false;
    case SchemaKind::kFloat:
      if (const auto number = decimal_number<float>(kind, raw); number && may_be_decimal) {
        append_avro_float(to, *number);
        return true;
      }
      return false;
    case SchemaKind::kDouble:
      if (const auto number = decimal_number<double>(kind, raw); number && may_be_decimal) {
        append_avro_float(to, *number);
        return true;
      }
      return false;
    case SchemaKind::kString:
      if (kind != JsonKind::kString) return false;
      append_avro_bytes(to, text_of(raw, scratch));
      return true;
    case SchemaKind::kEnum: {
      if (kind != JsonKind::kString) return false;
      const int symbol = node.place_of(text_of(raw, scratch));
      if (symbol >= 0) append_avro_long(to, symbol);
      return symbol >= 0;
    }
    case SchemaKind::kBytes: {
      if (kind != JsonKind::kString) return false;
      const auto bytes = bytes_of_text(text_of(raw, scratch));
      if (bytes) append_avro_bytes(to, *bytes);
      return bytes.has_value();
    }
    case SchemaKind::kFixed: {
      if (kind != JsonKind::kString) return false;
      const auto bytes = bytes_of_text(text_of(raw, scratch));
      if (!bytes || bytes->size() != node.type->size) return false;
      to += *bytes;
      return true;
    }
    default:
      return false;
  }
}

}  // namespace cairn
