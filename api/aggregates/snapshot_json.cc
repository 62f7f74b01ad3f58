#include "api/aggregates/snapshot_json.h"

#include "eventstore/json/json_text.h"
#include "eventstore/json/json_writer.h"

namespace cairn::api {

namespace {

// Without the last brace.
std::string beginning(std::string_view stream, StreamVersion version, std::string_view fingerprint,
                      std::uint64_t bytes) {
  std::string json = R"({"stream":)";
  append_json_string(json, stream);
  json += R"(,"version":)";
  append_number(json, version.value);
  json += R"(,"fingerprint":)";
  append_json_string(json, fingerprint);
  json += R"(,"bytes":)";
  append_number(json, bytes);
  return json;
}

}  // namespace

std::string snapshot_json(std::string_view stream, const SnapshotMade& made, std::string_view fingerprint) {
  return beginning(stream, made.version, fingerprint, made.bytes) + "}";
}

std::string snapshot_json(const StreamState& state, std::uint64_t bytes) {
  return beginning(state.stream, state.version, state.fingerprint, bytes) + R"(,"state":)" + state.json + "}";
}

std::string snapshots_json(std::string_view stream, const std::vector<SnapshotDescription>& snapshots) {
  std::string json = R"({"stream":)";
  append_json_string(json, stream);
  json += R"(,"snapshots":[)";
  for (const SnapshotDescription& snapshot : snapshots) {
    json += json.ends_with('[') ? R"({"version":)" : R"(,{"version":)";
    append_number(json, snapshot.version.value);
    json += R"(,"bytes":)";
    append_number(json, snapshot.bytes);
    json += snapshot.unusable
                ? R"(,"usable":false,"reason":")" + std::string(to_string(*snapshot.unusable)) + "\"}"
                : R"(,"usable":true,"reason":null})";
  }
  return json + "]}";
}

}  // namespace cairn::api
