#include "tools/cli/aggregate/state_request.h"

#include <string_view>

#include "api/client/server_url.h"
#include "eventstore/json/json_check.h"
#include "eventstore/json/json_cursor.h"
#include "tools/cli/server/failure_report.h"

namespace cairn::cli {

namespace {

std::string path_of(const StateRequest& wanted) {
  std::string path = "/streams/" + api::percent_encoded(wanted.stream) + "/state";
  if (wanted.version) return path + "?version=" + std::to_string(*wanted.version);
  if (!wanted.time.empty()) return path + "?time=" + api::percent_encoded(wanted.time);
  return path;
}

// nullopt when the body is not a state. The state is kept as text, so that numbers keep their digits.
std::optional<StateAnswer> state_in(const std::string& json) {
  if (check_json(json)) return std::nullopt;
  JsonCursor cursor(json);
  if (cursor.kind() != JsonKind::kObject) return std::nullopt;
  StateAnswer asked;
  asked.json = json;
  cursor.enter_object();
  while (const auto name = cursor.next_name()) {
    if (*name == "recordedAt" && cursor.kind() == JsonKind::kString) {
      asked.recorded_at = cursor.take_string();
      continue;
    }
    const std::string_view raw = cursor.take_raw();
    if (*name == "version") asked.version = json_whole_number(raw).value_or(0);
    if (*name == "state") asked.state = raw;
    if (*name == "snapshotVersion") asked.snapshot_version = json_whole_number(raw);
    if (*name == "eventsFolded") asked.events_folded = json_whole_number(raw).value_or(0);
  }
  if (asked.version == 0 || asked.state.empty()) return std::nullopt;
  return asked;
}

}  // namespace

Result<std::variant<StateAnswer, api::Answer>> ask_state(api::Client& client, const StateRequest& wanted) {
  using Outcome = std::variant<StateAnswer, api::Answer>;
  CAIRN_TRY(const api::Answer answer, client.get(path_of(wanted)));
  if (!answer.ok()) return Outcome(answer);
  auto asked = state_in(answer.body);
  if (asked) return Outcome(*std::move(asked));
  return make_error(Errc::kFailedPrecondition, "the answer is not a Cairn server's: " + refusal_text(answer));
}

}  // namespace cairn::cli
