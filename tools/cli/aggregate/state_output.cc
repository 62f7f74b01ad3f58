#include "tools/cli/aggregate/state_output.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "tools/cli/text/cell_text.h"
#include "tools/cli/text/json_member.h"
#include "tools/cli/text/number_text.h"

namespace cairn::cli {

namespace {

using nlohmann::ordered_json;

constexpr std::size_t kValueShown = 60;

}  // namespace

std::string state_line(const std::string& stream, const StateAnswer& state) {
  std::string line = stream + " at version " + std::to_string(state.version);
  if (!state.recorded_at.empty()) line += ", recorded " + state.recorded_at;
  line += ": " + counted(state.events_folded, "event") + " folded";
  if (state.snapshot_version) {
    line += fmt::format(" after the snapshot at version {}", *state.snapshot_version);
  }
  return on_one_line(line);
}

std::string diff_text(const std::vector<StateChange>& changes) {
  std::vector<std::vector<std::string>> rows = {{"PATH", "BEFORE", "AFTER"}};
  for (const StateChange& change : changes) {
    rows.push_back({change.path.empty() ? "(all)" : change.path, value_text(change.before, kValueShown),
                    value_text(change.after, kValueShown)});
  }
  return table_text(rows);
}

std::string history_text(const std::vector<FieldChange>& changes) {
  std::vector<std::vector<std::string>> rows = {{"VERSION", "POSITION", "RECORDED", "TYPE", "VALUE"}};
  for (const FieldChange& change : changes) {
    rows.push_back({std::to_string(change.version), std::to_string(change.position), change.recorded_at,
                    change.type, value_text(change.value, kValueShown)});
  }
  return table_text(rows);
}

std::string diff_json(const std::string& stream, std::uint64_t from, std::uint64_t to,
                      const std::vector<StateChange>& changes) {
  ordered_json list = ordered_json::array();
  for (const StateChange& change : changes) {
    ordered_json entry = {{"path", change.path}};
    if (change.before) entry["before"] = *change.before;
    if (change.after) entry["after"] = *change.after;
    list.push_back(std::move(entry));
  }
  return dumped(ordered_json{{"stream", stream}, {"from", from}, {"to", to}, {"changes", std::move(list)}});
}

std::string history_json(const std::string& stream, const std::string& field, const FieldHistory& history) {
  ordered_json list = ordered_json::array();
  for (const FieldChange& change : history.changes) {
    ordered_json entry = {{"version", change.version},
                          {"position", change.position},
                          {"recordedAt", change.recorded_at},
                          {"type", change.type}};
    if (change.value) entry["value"] = *change.value;
    list.push_back(std::move(entry));
  }
  return dumped(ordered_json{{"stream", stream},
                             {"field", field},
                             {"from", history.from},
                             {"to", history.to},
                             {"changes", std::move(list)}});
}

}  // namespace cairn::cli
