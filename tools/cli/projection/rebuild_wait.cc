#include "tools/cli/projection/rebuild_wait.h"

#include <fmt/format.h>

#include <chrono>
#include <iostream>
#include <nlohmann/json.hpp>
#include <utility>

#include "tools/cli/projection/status_text.h"
#include "tools/cli/server/poll.h"
#include "tools/cli/text/cell_text.h"
#include "tools/cli/text/exit_code.h"
#include "tools/cli/text/json_member.h"
#include "tools/cli/text/number_text.h"
#include "tools/cli/text/progress_bar.h"

namespace cairn::cli {

namespace {

using namespace std::chrono_literals;
using nlohmann::json;

constexpr std::chrono::milliseconds kBeginPatience = 60s;  // for a generation that has not begun

// Decides after each status whether the wait is over.
class RebuildWatch {
 public:
  RebuildWatch(std::string name, std::string fingerprint)
      : name_(std::move(name)), fingerprint_(std::move(fingerprint)) {}

  PollNext take(const std::string& text) {
    const json status = json::parse(text, nullptr, false);
    last_ = text;
    const std::string state = text_member(status, "state");
    const json rebuild = object_member(status, "rebuild");
    if (state.empty()) return fail("the answer is not a Cairn server's");
    if (state == "faulted" || state == "paused")
      return fail("the rows are not built: " + state_and_reason(status));
    if (rebuild.is_null()) return without_rebuild(status);
    generation_ = number_member(rebuild, "generation");
    if (const std::string holds = text_member(rebuild, "holds"); !holds.empty()) {
      return fail(fmt::format("generation {} is built but does not take over: {}", generation_, holds));
    }
    bar_.show(rebuild_bar(rebuild));
    return PollNext::kGoOn;
  }

  void lost(const std::string& reason) { bar_.note("cairn: " + reason + "; retrying"); }

  const std::string& failure() const { return failure_; }
  const std::string& last() const { return last_; }

 private:
  PollNext without_rebuild(const json& status) {
    const std::uint64_t live = number_member(status, "generation");
    if (generation_ > 0) {
      if (live >= generation_) return PollNext::kEnd;
      return fail(fmt::format("generation {} was cancelled before it was built", generation_));
    }
    const bool is_made = fingerprint_.empty() || text_member(status, "fingerprint") == fingerprint_;
    if (live > 0 && is_made) return PollNext::kEnd;
    if (std::chrono::steady_clock::now() - began_ < kBeginPatience) return PollNext::kGoOn;
    return fail("the server has not begun to build it: " + state_and_reason(status));
  }

  PollNext fail(const std::string& reason) {
    failure_ = on_one_line(name_ + ": " + reason);
    return PollNext::kEnd;
  }

  const std::string name_;
  const std::string fingerprint_;
  const std::chrono::steady_clock::time_point began_ = std::chrono::steady_clock::now();
  std::uint64_t generation_ = 0;  // being built, as last seen
  std::string failure_;
  std::string last_;
  ProgressBar bar_;
};

}  // namespace

RebuildOutcome wait_for_rebuild(api::Client& client, const ProjectionArguments& projection,
                                const std::string& status, const std::string& fingerprint) {
  RebuildOutcome waited;
  std::string failure;
  {
    RebuildWatch rebuild(projection.name, fingerprint);
    PollResult end;
    if (rebuild.take(status) == PollNext::kGoOn) {
      end = poll(
          client, {.path = projection.path(), .json = projection.server.json},
          [&](const std::string& body) { return rebuild.take(body); },
          [&](const std::string& reason) { rebuild.lost(reason); });
    }
    waited.failure = end.failure;
    waited.status = rebuild.last();
    failure = end.interrupted ? "interrupted; the server continues the rebuild" : rebuild.failure();
  }
  if (failure.empty()) return waited;
  std::cerr << "cairn: " << failure << '\n';
  waited.failure = kExitNo;
  return waited;
}

std::string live_line(const std::string& text) {
  const json status = json::parse(text, nullptr, false);
  std::string line =
      fmt::format("{}: generation {} is live: {}", text_member(status, "name"),
                  number_member(status, "generation"), counted(number_member(status, "rows"), "row"));
  if (const std::uint64_t keys = number_member(status, "parkedKeys"); keys > 0) {
    line += ", " + counted(keys, "parked key");
  }
  return on_one_line(line);
}

}  // namespace cairn::cli
