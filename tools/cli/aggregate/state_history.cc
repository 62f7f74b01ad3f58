#include "tools/cli/aggregate/state_history.h"

#include <algorithm>
#include <utility>

#include "api/client/server_url.h"
#include "tools/cli/aggregate/state_diff.h"
#include "tools/cli/server/failure_report.h"
#include "tools/cli/text/json_member.h"
#include "tools/cli/text/progress_bar.h"

namespace cairn::cli {

namespace {

using nlohmann::ordered_json;
using Outcome = std::variant<FieldHistory, api::Answer>;

constexpr std::uint64_t kPageEvents = 1'000;

// A page of events in their stored shape: type and time are the same in every shape, and the stored shape
// needs no upcaster that could fail.
std::string events_path(const std::string& stream, std::uint64_t from) {
  return "/streams/" + api::percent_encoded(stream) + "/events?shape=stored&from=" + std::to_string(from) +
         "&limit=" + std::to_string(kPageEvents);
}

// Visits the versions in order and records where the field changes.
class HistoryWalk {
 public:
  HistoryWalk(api::Client& client, std::string stream, std::string pointer, FieldHistory& history)
      : client_(client), stream_(std::move(stream)), pointer_(std::move(pointer)), history_(history) {}

  // Handles the events of one page, up to the last version. Returns the server's answer when it refuses.
  Result<std::optional<api::Answer>> take_page(const ordered_json& events) {
    for (const ordered_json& event : events) {
      const std::uint64_t version = number_member(event, "version");
      if (version != next_ || version > history_.to) break;
      CAIRN_TRY(auto asked, ask_state(client_, {.stream = stream_, .version = version}));
      if (auto* refusal = std::get_if<api::Answer>(&asked)) return std::optional(std::move(*refusal));
      note(event, ordered_json::parse(std::get<StateAnswer>(asked).state, nullptr, false));
      ++next_;
      bar_.update("states", version - history_.from + 1, history_.to - history_.from + 1);
    }
    return std::optional<api::Answer>();
  }

  std::uint64_t next() const { return next_; }

 private:
  void note(const ordered_json& event, const ordered_json& state) {
    auto value = value_at(state, pointer_);
    const bool same =
        value.has_value() == last_.has_value() && (!value || state_diff(*last_, *value).empty());
    if (same) return;
    last_ = value;
    history_.changes.push_back({.version = next_,
                                .position = number_member(event, "position"),
                                .recorded_at = text_member(event, "recordedAt"),
                                .type = text_member(event, "type"),
                                .value = std::move(value)});
  }

  api::Client& client_;
  const std::string stream_;
  const std::string pointer_;
  FieldHistory& history_;
  std::uint64_t next_ = history_.from;
  std::optional<ordered_json> last_;
  ProgressBar bar_;
};

}  // namespace

Result<Outcome> field_history(api::Client& client, const StateRequest& wanted, const std::string& pointer) {
  CAIRN_TRY(auto newest, ask_state(client, wanted));
  if (auto* refusal = std::get_if<api::Answer>(&newest)) return Outcome(std::move(*refusal));
  FieldHistory history;
  history.to = std::get<StateAnswer>(newest).version;
  if (history.to > kHistoryVersionsMax) history.from = history.to - kHistoryVersionsMax + 1;
  HistoryWalk walk(client, wanted.stream, pointer, history);
  while (walk.next() <= history.to) {
    const std::uint64_t before = walk.next();
    CAIRN_TRY(api::Answer page, client.get(events_path(wanted.stream, before)));
    if (!page.ok()) return Outcome(std::move(page));
    CAIRN_TRY(auto refusal,
              walk.take_page(list_member(ordered_json::parse(page.body, nullptr, false), "events")));
    if (refusal) return Outcome(*std::move(refusal));
    if (walk.next() == before) {
      return make_error(Errc::kFailedPrecondition,
                        "the answer is not a Cairn server's: " + refusal_text(page));
    }
  }
  return Outcome(std::move(history));
}

}  // namespace cairn::cli
