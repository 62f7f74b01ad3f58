#include "api/aggregates/state_json.h"

#include "eventstore/base/time_text.h"
#include "eventstore/json/json_text.h"
#include "eventstore/json/json_writer.h"

namespace cairn::api {

namespace {

void append_member(std::string& to, const char* name, std::string_view text) {
  to += to.ends_with('{') ? "\"" : ",\"";
  to += name;
  to += "\":";
  append_json_string(to, text);
}

void append_member(std::string& to, const char* name, std::uint64_t number) {
  to += to.ends_with('{') ? "\"" : ",\"";
  to += name;
  to += "\":";
  append_number(to, number);
}

void append_definition(std::string& to, const AggregateDefinition& definition) {
  append_member(to, "category", definition.category);
  append_member(to, "revision", definition.revision);
  append_member(to, "fingerprint", definition.fingerprint);
  append_member(to, "snapshotEvery", definition.snapshot_every);
}

void append_failure(std::string& to, const SnapshotFailure& failure) {
  to += to.ends_with('[') ? "{" : ",{";
  append_member(to, "stream", failure.stream);
  append_member(to, "position", failure.problem.position.value);
  append_member(to, "version", failure.problem.version.value);
  append_member(to, "error", failure.problem.message);
  to += '}';
}

}  // namespace

std::string to_json(const AggregateDeployment& deployment) {
  std::string json = "{";
  append_definition(json, deployment.definition);
  return json + R"(,"unchanged":)" + (deployment.unchanged ? "true}" : "false}");
}

void append_aggregate_json(std::string& to, const AggregateDefinition& definition,
                           const std::string* source) {
  to += '{';
  append_definition(to, definition);
  append_member(to, "position", definition.position.value);
  to += R"(,"deployedAt":")";
  append_time(to, definition.deployed_at);
  to += '"';
  if (source != nullptr) append_member(to, "source", *source);
  to += '}';
}

std::string to_json(const StreamState& state) {
  std::string json = "{";
  json.reserve(state.json.size() + 300);
  append_member(json, "stream", state.stream);
  append_member(json, "version", state.version.value);
  append_member(json, "position", state.position.value);
  json += R"(,"recordedAt":")";
  append_time(json, state.recorded_at);
  json += R"(","state":)" + state.json;
  append_member(json, "fingerprint", state.fingerprint);
  if (state.snapshot_version.value > 0) {
    append_member(json, "snapshotVersion", state.snapshot_version.value);
  } else {
    json += R"(,"snapshotVersion":null)";
  }
  append_member(json, "eventsFolded", state.events_folded);
  return json + "}";
}

std::string to_json(const SnapshotProgress& progress) {
  std::string json = "{";
  append_member(json, "done", progress.done);
  append_member(json, "total", progress.total);
  append_member(json, "eventsFolded", progress.events_folded);
  return json + "}";
}

std::string to_json(const std::string& category, const SnapshotReport& report) {
  std::string json = "{";
  append_member(json, "category", category);
  append_member(json, "streams", report.streams);
  append_member(json, "made", report.made);
  append_member(json, "fresh", report.fresh);
  append_member(json, "unsavable", report.unsavable);
  append_member(json, "failed", report.failed);
  append_member(json, "eventsFolded", report.events_folded);
  json += R"(,"failures":[)";
  for (const SnapshotFailure& failure : report.failures) append_failure(json, failure);
  return json + "]}";
}

}  // namespace cairn::api
