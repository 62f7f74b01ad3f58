#include "api/projections/parked_json.h"

#include "api/events/event_json.h"
#include "api/projections/json_object.h"

namespace cairn::api {

namespace {

void append_members(JsonObject& to, const ParkedKey& parked) {
  to.text("key", parked.key);
  to.text("by", parked.by_stream ? "stream" : "key");
  to.number("generation", parked.generation);
  to.number("events", parked.events);
  to.number("position", parked.position.value);
  to.text("kind", parked.kind);
  to.text("message", parked.message);
  to.number("line", parked.line);
  to.time("parkedAt", parked.parked_at);
  to.number("retries", parked.retries);
}

void append_detail(std::string& text, const ParkedKeyDetail& detail) {
  JsonObject object(text);
  append_members(object, detail.parked);
  object.begin("positions");
  text += '[';
  for (const GlobalPosition position : detail.positions) {
    if (!text.ends_with('[')) text += ',';
    append_number(text, position.value);
  }
  text += ']';
  object.end();
}

}  // namespace

std::string to_json(const ParkedList& list) {
  std::string text;
  JsonObject object(text);
  object.begin("parked");
  text += '[';
  for (const ParkedKey& parked : list.keys) {
    if (!text.ends_with('[')) text += ',';
    JsonObject entry(text);
    append_members(entry, parked);
    entry.end();
  }
  text += ']';
  object.text_or_null("next", list.next);
  object.end();
  return text;
}

std::string parked_key_json(std::string_view key, const std::vector<ParkedKeyDetail>& entries) {
  std::string text;
  JsonObject object(text);
  object.text("key", key);
  object.begin("entries");
  text += '[';
  for (const ParkedKeyDetail& entry : entries) {
    if (!text.ends_with('[')) text += ',';
    append_detail(text, entry);
  }
  text += ']';
  object.end();
  return text;
}

std::string to_json(const RetryReport& report) {
  std::string text;
  JsonObject object(text);
  object.number("keys", report.keys);
  object.number("released", report.released);
  object.number("events", report.events);
  object.end();
  return text;
}

}  // namespace cairn::api
