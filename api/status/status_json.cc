#include "api/status/status_json.h"

#include "api/projections/projection_json.h"
#include "api/status/attention.h"
#include "eventstore/json/json_writer.h"

namespace cairn::api {

namespace {

std::optional<double> milliseconds(std::optional<double> seconds) {
  return seconds ? std::optional(*seconds * 1'000) : std::nullopt;
}

void write_work(JsonWriter& json, const ServerStatus& status) {
  json.begin_object("events");
  json.measure("perSecond10s", status.last_10_s.events_per_second);
  json.measure("perSecond1m", status.last_minute.events_per_second);
  json.end_object();
  json.begin_object("appends");
  json.measure("perSecond10s", status.last_10_s.appends_per_second);
  json.measure("perSecond1m", status.last_minute.appends_per_second);
  json.number("queued", status.store.queue_requests);
  json.end_object();
  json.begin_object("commits");
  json.number("lastMinute", status.last_minute.commits);
  json.measure("meanMs", milliseconds(status.last_minute.commit_mean_seconds));
  json.measure("p99Ms", milliseconds(status.last_minute.commit_p99_seconds));
  json.end_object();
}

void write_disk(JsonWriter& json, const ServerStatus& status) {
  json.begin_object("log");
  json.number("bytes", status.store.log_bytes);
  json.end_object();
  json.begin_object("index");
  json.number("bytes", status.store.index_bytes);
  json.flag("complete", status.index.complete());
  json.number("done", status.index.done.value);
  json.number("total", status.index.total.value);
  json.end_object();
  json.begin_object("disk");
  json.number("bytes", status.disk ? std::optional(status.disk->total_bytes) : std::nullopt);
  json.number("freeBytes", status.disk ? std::optional(status.disk->free_bytes) : std::nullopt);
  json.number("growthBytesPerDay", status.growth.bytes_per_day);
  json.measure("daysUntilFull", status.growth.days_until_full);
  json.end_object();
}

}  // namespace

std::string to_json(const ServerStatus& status) {
  std::string text;
  JsonWriter json(text);
  json.begin_object();
  json.text("version", status.version);
  json.time("time", status.now);
  json.time("startedAt", status.started_at);
  json.measure("uptimeSeconds", static_cast<double>(status.now.micros - status.started_at.micros) / 1e6);
  json.text("store", status.store_id);
  json.text_or_null("data", status.data.empty() ? std::nullopt : std::optional(status.data));
  json.number("head", status.head.value);
  write_work(json, status);
  write_disk(json, status);
  json.number("subjects", status.subjects);
  json.number("schemas", status.schemas);
  json.number("upcasters", status.upcasters);
  json.number("aggregates", status.aggregates);
  if (!status.projections) {
    json.null("projections");
  } else {
    json.begin_array("projections");
    for (const ProjectionStatus& projection : *status.projections) {
      json.element();
      append_status_json(text, projection);
    }
    json.end_array();
  }
  json.begin_array("needsAttention");
  for (const Attention& attention : attention_of(status)) {
    json.begin_object();
    json.plain_text("kind", attention.kind);
    json.text("name", attention.name);
    json.text("text", attention.text);
    json.end_object();
  }
  json.end_array();
  json.end_object();
  return text;
}

}  // namespace cairn::api
