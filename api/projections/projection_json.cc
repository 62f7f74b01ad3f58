#include "api/projections/projection_json.h"

#include "api/projections/json_object.h"

namespace cairn::api {

namespace {

void append_error(JsonObject& to, std::string& text, const char* name,
                  const std::optional<ProjectionError>& error) {
  if (!error) return to.null(name);
  to.begin(name);
  JsonObject object(text);
  object.text("message", error->message);
  object.number("position", error->position ? std::optional(error->position->value) : std::nullopt);
  object.time("at", error->at);
  object.end();
}

void append_lag(JsonObject& to, std::string& text, const ProjectionStatus& status) {
  to.begin("lag");
  JsonObject lag(text);
  lag.number("events", status.lag_events);
  lag.measure("seconds", status.lag_seconds);
  lag.end();
}

std::optional<std::string> none_if_empty(const std::string& text) {
  return text.empty() ? std::nullopt : std::optional(text);
}

void append_difference(std::string& text, const RowDifference& difference) {
  JsonObject object(text);
  object.text("key", difference.key);
  object.raw("live", difference.live.value_or("null"));
  object.raw("rebuilt", difference.rebuilt.value_or("null"));
  object.end();
}

}  // namespace

std::string to_json(const RebuildStatus& rebuild) {
  std::string text;
  JsonObject object(text);
  object.number("generation", rebuild.generation);
  object.number("position", rebuild.position.value);
  object.number("target", rebuild.target.value);
  object.measure("eventsPerSecond", rebuild.events_per_second);
  object.measure("etaSeconds", rebuild.eta_seconds);
  object.number("eventsPerSecondMax", rebuild.events_per_second_max);
  object.number("parkedKeys", rebuild.parked_keys);
  object.number("rows", rebuild.rows);
  object.text_or_null("holds", none_if_empty(rebuild.holds));
  object.end();
  return text;
}

void append_status_json(std::string& to, const ProjectionStatus& status, const std::string* source) {
  JsonObject object(to);
  object.text("name", status.name);
  object.text("state", to_string(status.state));
  object.text("reason", status.reason);
  object.number("position", status.position.value);
  object.number("head", status.head.value);
  append_lag(object, to, status);
  object.measure("eventsPerSecond", status.events_per_second);
  object.number("generation", status.generation);
  object.number("previousGeneration", status.previous_generation);
  object.raw("rebuild", status.rebuild ? to_json(*status.rebuild) : "null");
  object.number("parkedKeys", status.parked_keys);
  object.number("parkedEvents", status.parked_events);
  object.measure("oldestParkedSeconds", status.oldest_parked_seconds);
  object.number("retries", status.retries);
  object.number("rows", status.rows);
  object.number("bytes", status.bytes);
  append_error(object, to, "firstError", status.first_error);
  append_error(object, to, "lastError", status.last_error);
  object.text("fingerprint", status.fingerprint);
  object.number("revision", status.revision);
  object.flag("outdated", status.outdated);
  if (source != nullptr) object.text("source", *source);
  object.end();
}

std::string to_json(const ProjectionStatus& status) {
  std::string text;
  append_status_json(text, status);
  return text;
}

std::string to_json(const ProjectionDeployment& deployment, const std::optional<ProjectionStatus>& status) {
  const ProjectionDefinition& definition = deployment.definition;
  std::string text;
  JsonObject object(text);
  object.text("name", definition.name);
  object.number("revision", definition.revision);
  object.text("fingerprint", definition.fingerprint);
  object.number("position", definition.position.value);
  object.time("deployedAt", definition.deployed_at);
  object.flag("unchanged", deployment.unchanged);
  object.raw("status", status ? to_json(*status) : "null");
  object.end();
  return text;
}

std::string to_json(const std::string& name, const RowsVerification& report) {
  std::string text;
  JsonObject object(text);
  object.text("name", name);
  object.text("stage", to_string(report.stage));
  if (report.stage == RowsVerification::Stage::kDone) {
    object.flag("equal", report.is_equal());
  } else {
    object.null("equal");
  }
  object.number("position", report.position.value);
  object.number("target", report.target.value);
  object.number("rows", report.rows);
  object.number("missing", report.missing);
  object.number("extra", report.extra);
  object.number("different", report.different);
  object.begin("differences");
  text += '[';
  for (const RowDifference& difference : report.differences) {
    if (!text.ends_with('[')) text += ',';
    append_difference(text, difference);
  }
  text += ']';
  object.text_or_null("error", none_if_empty(report.error));
  object.time("startedAt", report.started_at);
  object.measure("seconds", report.seconds);
  object.end();
  return text;
}

}  // namespace cairn::api
