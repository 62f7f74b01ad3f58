#include "api/projections/projection_json.h"

#include "eventstore/json/json_writer.h"

namespace cairn::api {

namespace {

void write_error(JsonWriter& json, const char* name, const std::optional<ProjectionError>& error) {
  if (!error) return json.null(name);
  json.begin_object(name);
  json.text("message", error->message);
  json.number("position", error->position ? std::optional(error->position->value) : std::nullopt);
  json.time("at", error->at);
  json.end_object();
}

void write_lag(JsonWriter& json, const ProjectionStatus& status) {
  json.begin_object("lag");
  json.number("events", status.lag_events);
  json.measure("seconds", status.lag_seconds);
  json.end_object();
}

std::optional<std::string> none_if_empty(const std::string& text) {
  return text.empty() ? std::nullopt : std::optional(text);
}

void write_difference(JsonWriter& json, const RowDifference& difference) {
  json.begin_object();
  json.text("key", difference.key);
  json.raw("live", difference.live.value_or("null"));
  json.raw("rebuilt", difference.rebuilt.value_or("null"));
  json.end_object();
}

}  // namespace

std::string to_json(const RebuildStatus& rebuild) {
  return json_object([&](JsonWriter& json) {
    json.number("generation", rebuild.generation);
    json.number("position", rebuild.position.value);
    json.number("target", rebuild.target.value);
    json.measure("eventsPerSecond", rebuild.events_per_second);
    json.measure("etaSeconds", rebuild.eta_seconds);
    json.number("eventsPerSecondMax", rebuild.events_per_second_max);
    json.number("parkedKeys", rebuild.parked_keys);
    json.number("rows", rebuild.rows);
    json.text_or_null("holds", none_if_empty(rebuild.holds));
  });
}

void append_status_json(std::string& to, const ProjectionStatus& status, const std::string* source) {
  JsonWriter json(to);
  json.begin_object();
  json.text("name", status.name);
  json.text("state", to_string(status.state));
  json.text("reason", status.reason);
  json.number("position", status.position.value);
  json.number("head", status.head.value);
  write_lag(json, status);
  json.measure("eventsPerSecond", status.events_per_second);
  json.number("generation", status.generation);
  json.number("previousGeneration", status.previous_generation);
  json.raw("rebuild", status.rebuild ? to_json(*status.rebuild) : "null");
  json.number("parkedKeys", status.parked_keys);
  json.number("parkedEvents", status.parked_events);
  json.measure("oldestParkedSeconds", status.oldest_parked_seconds);
  json.number("retries", status.retries);
  json.number("eventsPassedOver", status.events_passed_over);
  json.number("rows", status.rows);
  json.number("bytes", status.bytes);
  write_error(json, "firstError", status.first_error);
  write_error(json, "lastError", status.last_error);
  json.text("fingerprint", status.fingerprint);
  json.number("revision", status.revision);
  json.flag("outdated", status.outdated);
  if (source != nullptr) json.text("source", *source);
  json.end_object();
}

std::string to_json(const ProjectionStatus& status) {
  std::string text;
  append_status_json(text, status);
  return text;
}

std::string to_json(const ProjectionDeployment& deployment, const std::optional<ProjectionStatus>& status,
                    const std::vector<ScriptWarning>& warnings) {
  const ProjectionDefinition& definition = deployment.definition;
  return json_object([&](JsonWriter& json) {
    json.text("name", definition.name);
    json.number("revision", definition.revision);
    json.text("fingerprint", definition.fingerprint);
    json.number("position", definition.position.value);
    json.time("deployedAt", definition.deployed_at);
    json.flag("unchanged", deployment.unchanged);
    json.raw("status", status ? to_json(*status) : "null");
    json.raw("warnings", to_json(warnings));
  });
}

std::string to_json(const std::string& name, const RowsVerification& report) {
  return json_object([&](JsonWriter& json) {
    json.text("name", name);
    json.text("stage", to_string(report.stage));
    if (report.stage == RowsVerification::Stage::kDone) {
      json.flag("equal", report.is_equal());
    } else {
      json.null("equal");
    }
    json.number("position", report.position.value);
    json.number("target", report.target.value);
    json.number("rows", report.rows);
    json.number("missing", report.missing);
    json.number("extra", report.extra);
    json.number("different", report.different);
    json.begin_array("differences");
    for (const RowDifference& difference : report.differences) write_difference(json, difference);
    json.end_array();
    json.text_or_null("error", none_if_empty(report.error));
    json.time("startedAt", report.started_at);
    json.measure("seconds", report.seconds);
  });
}

}  // namespace cairn::api
