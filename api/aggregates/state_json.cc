#include "api/aggregates/state_json.h"

#include "eventstore/json/json_writer.h"

namespace cairn::api {

namespace {

// What an answer has beside the state.
constexpr std::size_t kStateMembersBytes = 300;

void write_definition(JsonWriter& json, const AggregateDefinition& definition) {
  json.text("category", definition.category);
  json.number("revision", definition.revision);
  json.text("fingerprint", definition.fingerprint);
  json.number("snapshotEvery", definition.snapshot_every);
}

void write_failure(JsonWriter& json, const SnapshotFailure& failure) {
  json.begin_object();
  json.text("stream", failure.stream);
  json.number("position", failure.problem.position.value);
  json.number("version", failure.problem.version.value);
  json.text("error", failure.problem.message);
  json.end_object();
}

}  // namespace

std::string to_json(const AggregateDeployment& deployment) {
  return json_object([&](JsonWriter& json) {
    write_definition(json, deployment.definition);
    json.flag("unchanged", deployment.unchanged);
  });
}

void append_aggregate_json(std::string& to, const AggregateDefinition& definition,
                           const std::string* source) {
  JsonWriter json(to);
  json.begin_object();
  write_definition(json, definition);
  json.number("position", definition.position.value);
  json.time("deployedAt", definition.deployed_at);
  if (source != nullptr) json.text("source", *source);
  json.end_object();
}

std::string to_json(const StreamState& state) {
  std::string text;
  text.reserve(state.json.size() + kStateMembersBytes);
  JsonWriter json(text);
  json.begin_object();
  json.text("stream", state.stream);
  json.number("version", state.version.value);
  json.number("position", state.position.value);
  json.time("recordedAt", state.recorded_at);
  json.raw("state", state.json);
  json.text("fingerprint", state.fingerprint);
  json.number_or_null("snapshotVersion", state.snapshot_version.value);
  json.number("eventsFolded", state.events_folded);
  json.end_object();
  return text;
}

std::string to_json(const SnapshotProgress& progress) {
  return json_object([&](JsonWriter& json) {
    json.number("done", progress.done);
    json.number("total", progress.total);
    json.number("eventsFolded", progress.events_folded);
  });
}

std::string to_json(const std::string& category, const SnapshotReport& report) {
  return json_object([&](JsonWriter& json) {
    json.text("category", category);
    json.number("streams", report.streams);
    json.number("made", report.made);
    json.number("fresh", report.fresh);
    json.number("unsavable", report.unsavable);
    json.number("failed", report.failed);
    json.number("eventsFolded", report.events_folded);
    json.begin_array("failures");
    for (const SnapshotFailure& failure : report.failures) write_failure(json, failure);
    json.end_array();
  });
}

}  // namespace cairn::api
