#include "tools/cli/commands/import_line.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "eventstore/base/checksum.h"
#include "eventstore/base/uuid.h"
#include "eventstore/json/json_check.h"
#include "eventstore/json/json_cursor.h"

namespace cairn::cli {

namespace {

// Fields of a stored event that are ignored.
constexpr std::string_view kPassedOver[] = {"position", "version", "schemaId", "storedSchemaVersion",
                                            "recordedAt"};

constexpr std::uint64_t kSchemaVersionMax = std::numeric_limits<std::int32_t>::max();

Error wrong(std::string message) { return make_error(Errc::kInvalidArgument, std::move(message)); }

Error wrong_field(std::string_view field, std::string_view wanted) {
  return wrong("\"" + std::string(field) + "\" must be " + std::string(wanted));
}

// A UUID of version 8 (custom, RFC 9562).
std::string id_of_line(std::string_view line, std::uint64_t number) {
  const Sha256 hash = sha256(std::to_string(number) + "\n" + std::string(line));
  Uuid id;
  std::copy_n(hash.begin(), id.bytes.size(), id.bytes.begin());
  id.bytes[6] = static_cast<std::uint8_t>((id.bytes[6] & 0x0f) | 0x80);
  id.bytes[8] = static_cast<std::uint8_t>((id.bytes[8] & 0x3f) | 0x80);
  return id.to_string();
}

// Stores the value at the cursor if the field is known.
Status take_field(const std::string& field, JsonCursor& value, ImportLine& to) {
  const JsonKind kind = value.kind();
  if (field == "contentType") {
    if (kind != JsonKind::kString) return wrong_field(field, "a text");
    to.event.content_type = value.take_string();
    return {};
  }
  if (field == "sealed") {
    if (value.take_raw() == "true") return wrong("it has a sealed part, which cannot be read");
    return {};
  }
  if (field == "stream" || field == "type" || field == "id") {
    if (kind != JsonKind::kString) return wrong_field(field, "a text");
    std::string text = value.take_string();
    if (field == "id" && !Uuid::parse(text)) return wrong_field(field, "a UUID");
    (field == "stream" ? to.stream : field == "type" ? to.event.type : to.event.id) = std::move(text);
    return {};
  }
  if (field == "metadata" && kind != JsonKind::kObject) return wrong_field(field, "an object");
  if (field == "tags" && kind != JsonKind::kArray) return wrong_field(field, "a list");
  if (field == "part" && kind != JsonKind::kNull) {
    return wrong("it is one part of an event that was split on the way; read with --shape stored");
  }
  if (field == "position") to.was_stored = true;
  const std::string_view raw = value.take_raw();
  if (field == "data") {
    to.event.data = raw;
  } else if (field == "metadata") {
    to.event.metadata = raw;
  } else if (field == "tags") {
    to.event.tags = raw;
  } else if (field == "schemaVersion") {
    if (kind == JsonKind::kNull) return {};
    const auto version = json_whole_number(raw);
    if (!version || *version == 0 || *version > kSchemaVersionMax) {
      return wrong_field(field, "a version of the type's schema, or null");
    }
    to.event.schema_version = static_cast<std::uint32_t>(*version);
  } else if (field != "part" &&
             std::find(std::begin(kPassedOver), std::end(kPassedOver), field) == std::end(kPassedOver)) {
    return wrong("unknown field \"" + field + "\"");
  }
  return {};
}

}  // namespace

Result<ImportLine> parse_import_line(std::string_view line, std::uint64_t number) {
  if (const auto fault = check_json(line)) {
    return wrong(fmt::format("not JSON: {}, at byte {}", fault->message, fault->offset));
  }
  JsonCursor cursor(line);
  if (cursor.kind() != JsonKind::kObject) return wrong("not a JSON object");
  ImportLine parsed;
  cursor.enter_object();
  while (const auto field = cursor.next_name()) CAIRN_CHECK(take_field(*field, cursor, parsed));
  if (parsed.stream.empty()) return wrong_field("stream", "there, and not empty");
  if (parsed.event.type.empty()) return wrong_field("type", "there, and not empty");
  if (parsed.event.data.empty()) return wrong_field("data", "there");
  if (!parsed.event.content_type.empty() && parsed.event.schema_version != 0)
    return wrong("\"schemaVersion\" does not go with \"contentType\"");
  if (parsed.event.id.empty()) parsed.event.id = id_of_line(line, number);
  return parsed;
}

}  // namespace cairn::cli
