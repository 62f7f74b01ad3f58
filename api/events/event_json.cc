#include "api/events/event_json.h"

#include "eventstore/json/json_writer.h"
#include "upcasters/model/shaped_json.h"

namespace cairn::api {

Status append_event_json(std::string& to, const EventView& stored, const ShapedEvent& part) {
  JsonWriter json(to);
  json.begin_object();
  json.number("position", stored.position.value);
  json.text("stream", stored.stream);
  json.number("version", stored.version.value);
  json.uuid("id", stored.id);
  json.text("type", part.type);
  json.number_or_null("schemaId", part.schema == nullptr ? 0 : part.schema->id.value);
  json.number_or_null("schemaVersion", part.schema_version);
  json.number_or_null("storedSchemaVersion", part.stored_schema_version);
  json.number_or_null("part", part.part);
  if (!part.content_type.empty()) json.text("contentType", part.content_type);
  if (stored.sealed) json.flag("sealed", true);
  json.key("data");
  CAIRN_CHECK(append_data_json(part, to));
  json.raw("metadata", stored.metadata.empty() ? std::string_view("{}") : stored.metadata);
  json.begin_array("tags");
  for (const std::string_view tag : stored.tags) json.text(tag);
  json.end_array();
  json.time("recordedAt", stored.recorded_at);
  json.end_object();
  return {};
}

void append_stream_json(std::string& to, const StreamInfo& stream) {
  JsonWriter json(to);
  json.begin_object();
  json.text("stream", stream.stream);
  json.text("category", category_of(stream.stream));
  json.number("version", stream.version.value);
  json.number("firstPosition", stream.first_position.value);
  json.number("lastPosition", stream.last_position.value);
  json.time("createdAt", stream.created_at);
  json.time("updatedAt", stream.updated_at);
  json.end_object();
}

void append_result_json(std::string& to, const StreamAppendResult& result, bool already_applied) {
  JsonWriter json(to);
  json.begin_object();
  json.text("stream", result.stream);
  json.number_or_null("firstVersion", result.first_version.value);
  json.number("lastVersion", result.last_version.value);
  json.number_or_null("firstPosition", result.first_position.value);
  json.number_or_null("lastPosition", result.last_position.value);
  json.flag("alreadyApplied", already_applied);
  json.end_object();
}

}  // namespace cairn::api
