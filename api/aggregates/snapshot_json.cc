#include "api/aggregates/snapshot_json.h"

#include "eventstore/json/json_writer.h"

namespace cairn::api {

namespace {

void write_members(JsonWriter& json, std::string_view stream, StreamVersion version,
                   std::string_view fingerprint, std::uint64_t bytes) {
  json.text("stream", stream);
  json.number("version", version.value);
  json.text("fingerprint", fingerprint);
  json.number("bytes", bytes);
}

void write_description(JsonWriter& json, const SnapshotDescription& snapshot) {
  json.begin_object();
  json.number("version", snapshot.version.value);
  json.number("bytes", snapshot.bytes);
  json.flag("usable", !snapshot.unusable);
  if (snapshot.unusable) {
    json.plain_text("reason", to_string(*snapshot.unusable));
  } else {
    json.null("reason");
  }
  json.end_object();
}

}  // namespace

std::string snapshot_json(std::string_view stream, const SnapshotMade& made, std::string_view fingerprint) {
  return json_object(
      [&](JsonWriter& json) { write_members(json, stream, made.version, fingerprint, made.bytes); });
}

std::string snapshot_json(const StreamState& state, std::uint64_t bytes) {
  return json_object([&](JsonWriter& json) {
    write_members(json, state.stream, state.version, state.fingerprint, bytes);
    json.raw("state", state.json);
  });
}

std::string snapshots_json(std::string_view stream, const std::vector<SnapshotDescription>& snapshots) {
  return json_object([&](JsonWriter& json) {
    json.text("stream", stream);
    json.begin_array("snapshots");
    for (const SnapshotDescription& snapshot : snapshots) write_description(json, snapshot);
    json.end_array();
  });
}

}  // namespace cairn::api
