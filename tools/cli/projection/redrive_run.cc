#include "tools/cli/projection/redrive_run.h"

#include <iostream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tools/cli/server/answer_output.h"
#include "tools/cli/server/failure_report.h"
#include "tools/cli/server/poll.h"
#include "tools/cli/text/cell_text.h"
#include "tools/cli/text/exit_code.h"
#include "tools/cli/text/json_member.h"
#include "tools/cli/text/number_text.h"
#include "tools/cli/text/progress_bar.h"

namespace cairn::cli {

namespace {

using nlohmann::json;
using nlohmann::ordered_json;

json redrive_of(const std::string& body) {
  return object_member(json::parse(body, nullptr, false), "redrive");
}

std::string request_body(const RedriveArguments& arguments) {
  ordered_json body = ordered_json::object();
  if (arguments.keys_per_second) body["keysPerSecond"] = *arguments.keys_per_second;
  if (arguments.stop_after) body["stopAfterFailures"] = *arguments.stop_after;
  if (arguments.dry_run) body["dryRun"] = true;
  return dumped(body);
}

std::string progress_text(const json& redrive) {
  const std::uint64_t tried = number_member(redrive, "tried");
  const std::uint64_t keys = number_member(redrive, "keys");
  return share_text("retry", tried, keys) + "  " + grouped(tried) + " of " + counted(keys, "key") + "  " +
         grouped(number_member(redrive, "failed")) + " failed  " +
         counted(number_member(redrive, "eventsApplied"), "event");
}

int report_still_parked(const ProjectionArguments& projection, std::uint64_t keys) {
  std::cout << std::flush;
  std::cerr << "cairn: " << counted(keys, "key") << (keys == 1 ? " is" : " are")
            << " still parked; `cairn projection parked " << on_one_line(projection.name)
            << "` shows the reasons\n";
  return kExitNo;
}

// What failed first in a dry run, which leaves no trace in the list of parked keys.
std::string failures_text(const json& redrive) {
  std::vector<std::vector<std::string>> rows = {{"KEY", "POSITION", "KIND", "ERROR"}};
  for (const json& failure : list_member(redrive, "failures")) {
    rows.push_back({(text_member(failure, "by") == "stream" ? "stream " : "") + text_member(failure, "key"),
                    std::to_string(number_member(failure, "position")), text_member(failure, "kind"),
                    text_member(failure, "message")});
  }
  return rows.size() == 1 ? "" : table_text(rows);
}

int report_end(const ProjectionArguments& projection, const std::string& body) {
  const json redrive = redrive_of(body);
  const std::string state = text_member(redrive, "state");
  const std::uint64_t keys = number_member(redrive, "keys");
  const std::uint64_t released = number_member(redrive, "released");
  const bool is_dry_run = redrive.value("dryRun", json(false)) == true;
  if (projection.server.json) {
    print_line(body);
  } else {
    print_line((is_dry_run ? "dry run: " : "") + counted(number_member(redrive, "tried"), "key") +
               " tried, " + grouped(released) + (is_dry_run ? " would be released; " : " released; ") +
               counted(number_member(redrive, "eventsApplied"), "event") +
               (is_dry_run ? " could be applied" : " applied"));
    if (is_dry_run) std::cout << failures_text(redrive);
  }
  if (state != "done") {
    const std::string reason = text_member(redrive, "reason");
    std::cout << std::flush;
    std::cerr << "cairn: the retry "
              << (state == "failed"    ? "failed"
                  : state == "stopped" ? "stopped"
                                       : "was cancelled")
              << (reason.empty() ? "" : ": " + on_one_line(reason)) << '\n';
  }
  if (released >= keys) return kExitOk;
  if (is_dry_run) return kExitNo;
  return report_still_parked(projection, keys - released);
}

// The client of the wait was stopped by the signal.
int cancel(const ProjectionArguments& projection) {
  auto client = make_client(projection.server);
  if (!client) return report_usage(client.error().message);
  const auto answer = client->remove(projection.path("/redrive"));
  if (!answer) return report_unreachable(answer.error());
  if (answer->ok()) return report_end(projection, answer->body);
  // It has ended meanwhile.
  const auto last = client->get(projection.path("/redrive"));
  if (last && last->ok()) return report_end(projection, last->body);
  return report_refusal(*answer, projection.server.json);
}

int wait_for_end(api::Client& client, const ProjectionArguments& projection, const std::string& begun) {
  const json first = redrive_of(begun);
  std::string last = begun;
  bool is_replaced = false;
  const PollResult end = [&] {
    ProgressBar bar;
    return poll(
        client, {.path = projection.path("/redrive"), .json = projection.server.json},
        [&](const std::string& body) {
          const json redrive = redrive_of(body);
          is_replaced = number_member(redrive, "id") != number_member(first, "id") ||
                        text_member(redrive, "startedAt") != text_member(first, "startedAt");
          if (is_replaced) return PollNext::kEnd;
          last = body;
          if (text_member(redrive, "state") != "running") return PollNext::kEnd;
          bar.show(progress_text(redrive));
          return PollNext::kGoOn;
        },
        [&](const std::string& reason) { bar.note("cairn: " + reason + "; retrying"); });
  }();
  if (end.failure) return *end.failure;
  if (end.interrupted) return cancel(projection);
  if (!is_replaced) return report_end(projection, last);
  std::cerr << "cairn: another retry has begun; this one has ended\n";
  return kExitNo;
}

}  // namespace

int report_retried(const ProjectionArguments& projection, const std::string& body) {
  const json report = json::parse(body, nullptr, false);
  const std::uint64_t keys = number_member(report, "keys");
  const std::uint64_t released = number_member(report, "released");
  if (projection.server.json) {
    print_line(body);
  } else {
    print_line(counted(keys, "key") + " tried, " + grouped(released) + " released; " +
               counted(number_member(report, "events"), "event") + " applied");
  }
  return released >= keys ? kExitOk : report_still_parked(projection, keys - released);
}

int run_redrive(api::Client& client, const ProjectionArguments& projection, const RedriveArguments& redrive) {
  const auto answer = client.post_json(projection.path("/parked/retry"), request_body(redrive));
  if (!answer || !answer->ok()) return report_answer(answer, projection.server.json, print_line);
  // A server of version 0.1 has retried all of it.
  if (redrive_of(answer->body).is_null()) return report_retried(projection, answer->body);
  if (!redrive.no_wait) return wait_for_end(client, projection, answer->body);
  if (projection.server.json) {
    print_line(answer->body);
  } else {
    print_line(on_one_line(projection.name) + ": the retry of " +
               counted(number_member(redrive_of(answer->body), "keys"), "parked key") + " has begun");
  }
  return kExitOk;
}

}  // namespace cairn::cli
