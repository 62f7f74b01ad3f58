#include "api/projections/parked_json.h"

#include <optional>

#include "eventstore/json/json_writer.h"

namespace cairn::api {

namespace {

void write_members(JsonWriter& json, const ParkedKey& parked, const EventAsJson& event) {
  json.text("key", parked.key);
  json.text("by", parked.by_stream ? "stream" : "key");
  json.number("generation", parked.generation);
  json.number("events", parked.events);
  json.number("position", parked.position.value);
  json.text("kind", parked.kind);
  json.text("message", parked.message);
  json.number("line", parked.line);
  json.time("parkedAt", parked.parked_at);
  json.number("retries", parked.retries);
  json.raw("event", event(parked.position));
}

void write_detail(JsonWriter& json, const ParkedKeyDetail& detail, const EventAsJson& event) {
  json.begin_object();
  write_members(json, detail.parked, event);
  json.begin_array("positions");
  for (const GlobalPosition position : detail.positions) json.number(position.value);
  json.end_array();
  json.end_object();
}

}  // namespace

std::string to_json(const ParkedList& list, const EventAsJson& event) {
  return json_object([&](JsonWriter& json) {
    json.begin_array("parked");
    for (const ParkedKey& parked : list.keys) {
      json.begin_object();
      write_members(json, parked, event);
      json.end_object();
    }
    json.end_array();
    json.text_or_null("next", list.next);
  });
}

std::string parked_key_json(std::string_view key, const std::vector<ParkedKeyDetail>& entries,
                            const EventAsJson& event) {
  return json_object([&](JsonWriter& json) {
    json.text("key", key);
    json.begin_array("entries");
    for (const ParkedKeyDetail& entry : entries) write_detail(json, entry, event);
    json.end_array();
  });
}

std::string to_json(const RedriveReport& report) {
  return json_object([&](JsonWriter& json) {
    json.begin_object("redrive");
    json.number("id", report.id);
    json.plain_text("state", to_string(report.state));
    json.text_or_null("reason", report.reason.empty() ? std::nullopt : std::optional(report.reason));
    json.flag("dryRun", report.options.dry_run);
    json.number("keysPerSecond", report.options.keys_per_second);
    json.number("stopAfterFailures", report.options.stop_after_failures);
    json.number("keys", report.keys);
    json.number("tried", report.tried);
    json.number("released", report.released);
    json.number("failed", report.failed);
    json.number("eventsApplied", report.events);
    json.begin_array("failures");
    for (const RedriveReport::Failure& failure : report.failures) {
      json.begin_object();
      json.text("key", failure.place.name);
      json.plain_text("by", failure.place.by == ParkedPlace::By::kStream ? "stream" : "key");
      json.number("generation", failure.generation);
      json.number("position", failure.event.position.value);
      json.text("kind", failure.event.kind);
      json.text("message", failure.event.message);
      json.number("line", failure.event.line);
      json.end_object();
    }
    json.end_array();
    json.time("startedAt", report.started_at);
    if (report.ended_at) {
      json.time("endedAt", *report.ended_at);
    } else {
      json.null("endedAt");
    }
    json.end_object();
  });
}

std::string to_json(const RetryReport& report) {
  return json_object([&](JsonWriter& json) {
    json.number("keys", report.keys);
    json.number("released", report.released);
    json.number("events", report.events);
  });
}

}  // namespace cairn::api
