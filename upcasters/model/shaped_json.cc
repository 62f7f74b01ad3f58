#include "upcasters/model/shaped_json.h"

#include "eventstore/base/base64.h"
#include "eventstore/json/json_writer.h"
#include "schemaregistry/codec/json_sink.h"

namespace cairn {

Status append_data_json(const ShapedEvent& part, std::string& to) {
  if (part.plan != nullptr) return append_avro_as_json(*part.plan, part.data, to);
  if (!part.content_type.empty()) {
    to += '"';
    append_base64(to, part.data);
    to += '"';
    return {};
  }
  to += part.data.empty() ? std::string_view("null") : part.data;
  return {};
}

std::string reported_event_json(const EventView& stored, const ShapedEvent& part,
                                std::size_t data_bytes_max) {
  std::string data;
  const bool is_read = append_data_json(part, data).ok();
  return json_object([&](JsonWriter& json) {
    json.number("position", stored.position.value);
    json.text("stream", stored.stream);
    json.number("version", stored.version.value);
    json.uuid("id", stored.id);
    json.text("type", part.type);
    json.time("recordedAt", stored.recorded_at);
    if (stored.metadata.size() > data_bytes_max) {
      json.null("metadata");
    } else {
      json.raw("metadata", stored.metadata.empty() ? std::string_view("{}") : stored.metadata);
    }
    if (!part.content_type.empty()) json.text("contentType", part.content_type);
    if (is_read && data.size() <= data_bytes_max) {
      json.raw("data", data);
    } else {
      json.null("data");
      json.number("dataBytes", is_read ? data.size() : stored.data.size());
    }
  });
}

}  // namespace cairn
