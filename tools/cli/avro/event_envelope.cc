#include "tools/cli/avro/event_envelope.h"

#include <map>
#include <optional>
#include <vector>

#include "eventstore/base/assert.h"
#include "eventstore/base/base64.h"
#include "eventstore/json/json_check.h"
#include "eventstore/json/json_cursor.h"
#include "eventstore/json/json_text.h"
#include "eventstore/json/json_writer.h"
#include "schemaregistry/codec/avro_bytes.h"
#include "schemaregistry/model/canonical_form.h"
#include "schemaregistry/model/parse_schema.h"

namespace cairn::cli {

namespace {

// Without a namespace, because the types inside would inherit it.
constexpr std::string_view kEnvelopeBegin =
    R"({"type":"record","name":"CairnEvent","fields":[)"
    R"({"name":"position","type":"long"},{"name":"stream","type":"string"},{"name":"version","type":"long"},)"
    R"({"name":"id","type":"string"},{"name":"type","type":"string"},{"name":"recordedAt","type":"string"},)"
    R"({"name":"metadata","type":["null","string"]},{"name":"tags","type":{"type":"array","items":"string"}},)"
    R"({"name":"data","type":)";
constexpr std::string_view kEnvelopeEnd = "}]}";

Error wrong(std::string message) { return make_error(Errc::kInvalidArgument, std::move(message)); }

// The members of an object, as raw JSON.
Result<std::map<std::string, std::string_view>> members_of(std::string_view json) {
  if (const auto fault = check_json(json)) return wrong("not JSON: " + fault->message);
  JsonCursor cursor(json);
  if (cursor.kind() != JsonKind::kObject) return wrong("not a JSON object");
  std::map<std::string, std::string_view> members;
  cursor.enter_object();
  while (const auto name = cursor.next_name()) members[*name] = cursor.take_raw();
  return members;
}

Result<std::string> text_of(const std::map<std::string, std::string_view>& members, const std::string& name) {
  const auto member = members.find(name);
  if (member == members.end() || !member->second.starts_with('"'))
    return wrong("has no text \"" + name + "\"");
  return JsonCursor(member->second).take_string();
}

Result<std::uint64_t> number_of(const std::map<std::string, std::string_view>& members,
                                const std::string& name) {
  const auto member = members.find(name);
  const auto number = member == members.end() ? std::nullopt : json_whole_number(member->second);
  if (!number) return wrong("has no number \"" + name + "\"");
  return *number;
}

}  // namespace

Result<ExportedEvent> parse_exported_event(std::string_view line) {
  CAIRN_TRY(const auto members, members_of(line));
  ExportedEvent event;
  CAIRN_TRY(event.position, number_of(members, "position"));
  CAIRN_TRY(event.version, number_of(members, "version"));
  CAIRN_TRY(event.stream, text_of(members, "stream"));
  CAIRN_TRY(event.id, text_of(members, "id"));
  CAIRN_TRY(event.type, text_of(members, "type"));
  CAIRN_TRY(event.recorded_at, text_of(members, "recordedAt"));
  const auto raw = [&](const char* name) {
    const auto member = members.find(name);
    return member == members.end() ? std::string_view("null") : member->second;
  };
  if (members.contains("contentType")) {
    CAIRN_TRY(event.content_type, text_of(members, "contentType"));
  }
  event.schema_version = static_cast<int>(json_whole_number(raw("schemaVersion")).value_or(0));
  event.data = raw("data");
  event.metadata = raw("metadata");
  event.tags = raw("tags");
  return event;
}

Result<Schema> envelope_schema(const Schema& data) {
  return parse_schema(std::string(kEnvelopeBegin) + canonical_form(data) + std::string(kEnvelopeEnd));
}

Schema opaque_envelope_schema() {
  auto schema = parse_schema(std::string(kEnvelopeBegin) +
                             R"("bytes"},{"name":"contentType","type":"string")" + std::string(kEnvelopeEnd));
  CAIRN_ASSERT(schema.ok());
  return *std::move(schema);
}

void append_envelope(std::string& to, const ExportedEvent& event, std::string_view data) {
  append_avro_long(to, static_cast<std::int64_t>(event.position));
  append_avro_bytes(to, event.stream);
  append_avro_long(to, static_cast<std::int64_t>(event.version));
  append_avro_bytes(to, event.id);
  append_avro_bytes(to, event.type);
  append_avro_bytes(to, event.recorded_at);
  if (event.metadata == "null" || event.metadata == "{}") {
    append_avro_long(to, 0);
  } else {
    append_avro_long(to, 1);
    append_avro_bytes(to, event.metadata);
  }
  std::vector<std::string> tags;
  if (event.tags.starts_with('[')) {
    JsonCursor cursor(event.tags);
    cursor.enter_array();
    while (cursor.next_element()) {
      if (cursor.kind() == JsonKind::kString) {
        tags.push_back(cursor.take_string());
      } else {
        cursor.take_raw();
      }
    }
  }
  if (!tags.empty()) append_avro_long(to, static_cast<std::int64_t>(tags.size()));
  for (const std::string& tag : tags) append_avro_bytes(to, tag);
  append_avro_long(to, 0);
  to += data;
}

// A JSON string whose characters are bytes, as the JSON of Avro's bytes, as a JSON string of base64. nullopt
// for a string with other characters.
std::optional<std::string> base64_of_avro_json(std::string_view json) {
  if (!json.starts_with('"')) return std::nullopt;
  const std::string text = JsonCursor(json).take_string();
  std::string bytes;
  for (std::size_t at = 0; at < text.size(); ++at) {
    auto code = static_cast<unsigned char>(text[at]);
    if (code >= 0x80) {  // UTF-8 of U+0080 to U+00FF: C2 or C3, and six more bits
      if (code > 0xC3 || ++at == text.size()) return std::nullopt;
      code = static_cast<unsigned char>((code << 6) | (static_cast<unsigned char>(text[at]) & 0x3Fu));
    }
    bytes += static_cast<char>(code);
  }
  std::string base64 = "\"";
  append_base64(base64, bytes);
  return base64 + '"';
}

Result<std::string> import_line_of(std::string_view record_json) {
  CAIRN_TRY(const auto members, members_of(record_json));
  std::string line;
  JsonWriter json(line);
  json.begin_object();
  for (const char* name : {"stream", "type", "data"}) {
    const auto member = members.find(name);
    if (member == members.end()) {
      return wrong("the records have no \"" + std::string(name) +
                   "\": only files as `cairn export` writes them can be imported");
    }
    if (std::string_view(name) == "data" && members.contains("contentType")) {
      const auto data = base64_of_avro_json(member->second);
      if (!data) return wrong("the data of an event with a content type is not bytes");
      json.raw("data", *data);
    } else {
      json.raw(name, member->second);
    }
  }
  for (const char* name : {"id", "tags", "contentType"}) {
    const auto member = members.find(name);
    if (member != members.end()) json.raw(name, member->second);
  }
  const auto metadata = members.find("metadata");
  if (metadata != members.end() && metadata->second.starts_with('"')) {
    const std::string text = JsonCursor(metadata->second).take_string();
    if (check_json(text)) return wrong("the metadata is not JSON");
    json.key("metadata");
    append_compact_json(line, text);
  }
  json.end_object();
  return line;
}

}  // namespace cairn::cli
