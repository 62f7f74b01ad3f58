#include "tools/cli/projection/status_text.h"

#include <algorithm>
#include <vector>

#include "tools/cli/text/cell_text.h"
#include "tools/cli/text/json_member.h"
#include "tools/cli/text/number_text.h"
#include "tools/cli/text/progress_bar.h"
#include "tools/cli/text/terminal.h"

namespace cairn::cli {

namespace {

using nlohmann::json;
using Rows = std::vector<std::vector<std::string>>;

constexpr std::size_t kFingerprintShown = 8;
constexpr std::size_t kStateColumn = 1;  // in both tables

Colour colour_of(std::string_view state) {
  if (state.starts_with("running")) return Colour::kGreen;
  return state.starts_with("faulted") || state.starts_with("stalled") ? Colour::kRed : Colour::kYellow;
}

std::string lag_text(const json& status) {
  const json lag = object_member(status, "lag");
  const std::uint64_t events = number_member(lag, "events");
  if (events == 0) return "-";
  return counted(events, "event") + ", " + duration_text(real_member(lag, "seconds"));
}

std::string eta_text(const json& rebuild) {
  return rebuild.value("etaSeconds", json()).is_number()
             ? "  ETA " + duration_text(real_member(rebuild, "etaSeconds"))
             : "";
}

// "40 %  250,000/s  ETA 2 s"; a table has no room for a progress bar.
std::string rebuild_cell(const json& status) {
  const json rebuild = object_member(status, "rebuild");
  if (rebuild.is_null()) return "-";
  const std::uint64_t target = number_member(rebuild, "target");
  const double share =
      target == 0 ? 1 : static_cast<double>(number_member(rebuild, "position")) / static_cast<double>(target);
  return std::to_string(static_cast<int>(std::min(share, 1.0) * 100)) + " %  " +
         rate_text(real_member(rebuild, "eventsPerSecond")) + "/s" + eta_text(rebuild) +
         (text_member(rebuild, "holds").empty() ? "" : "  held");
}

std::string error_text(const json& error) {
  std::string text = text_member(error, "message") + " (";
  if (const std::uint64_t position = number_member(error, "position"); position > 0) {
    text += "position " + std::to_string(position) + ", ";
  }
  return text + text_member(error, "at") + ")";
}

void add_rebuild(const json& rebuild, Rows& rows) {
  if (rebuild.is_null()) return;
  rows.push_back({"rebuild", rebuild_bar(rebuild)});
  std::string more = counted(number_member(rebuild, "rows"), "row") + ", " +
                     counted(number_member(rebuild, "parkedKeys"), "parked key");
  if (const std::uint64_t most = number_member(rebuild, "eventsPerSecondMax"); most > 0) {
    more += ", at most " + grouped(most) + " events/s";
  }
  rows.push_back({"", more});
  if (const std::string holds = text_member(rebuild, "holds"); !holds.empty()) {
    rows.push_back({"", "does not take over: " + holds});
  }
}

void add_parked(const json& status, Rows& rows) {
  const std::uint64_t keys = number_member(status, "parkedKeys");
  std::string text =
      keys == 0 ? "nothing"
                : counted(keys, "key") + " with " + counted(number_member(status, "parkedEvents"), "event");
  if (keys > 0 && status["oldestParkedSeconds"].is_number()) {
    text += ", the oldest for " + duration_text(real_member(status, "oldestParkedSeconds"));
  }
  rows.push_back({"parked", text});
}

void add_passed_over(const json& status, Rows& rows) {
  const std::uint64_t events = number_member(status, "eventsPassedOver");
  if (events > 0) rows.push_back({"passed over", counted(events, "event") + ", for which key was nil"});
}

void add_errors(const json& status, Rows& rows) {
  const json first = object_member(status, "firstError");
  const json last = object_member(status, "lastError");
  if (!first.is_null() && first != last) rows.push_back({"first error", error_text(first)});
  if (!last.is_null()) rows.push_back({"last error", error_text(last)});
}

std::string generation_text(const json& status) {
  const std::uint64_t generation = number_member(status, "generation");
  std::string text = generation == 0 ? "none yet, the first one is being built" : std::to_string(generation);
  if (const std::uint64_t previous = number_member(status, "previousGeneration"); previous > 0) {
    text += ", and " + std::to_string(previous) + " to roll back to";
  }
  return text;
}

// The newest definition, and the one that built the rows; they differ after a rollback and during a rebuild.
std::string definition_text(const json& status) {
  const std::uint64_t revision = number_member(status, "revision");
  return (revision == 0 ? "the program itself" : "revision " + std::to_string(revision)) +
         "; rows are made by fingerprint " + text_member(status, "fingerprint").substr(0, kFingerprintShown) +
         "…";
}

}  // namespace

std::string state_and_reason(const json& status) {
  const std::string reason = text_member(status, "reason");
  return text_member(status, "state") + (reason.empty() ? "" : ": " + reason);
}

std::string rebuild_bar(const json& rebuild) {
  const std::uint64_t position = number_member(rebuild, "position");
  const std::uint64_t target = number_member(rebuild, "target");
  return share_text("generation " + std::to_string(number_member(rebuild, "generation")), position, target) +
         "  " + rate_text(real_member(rebuild, "eventsPerSecond")) + " events/s" + eta_text(rebuild) + "  " +
         grouped(position) + " of " + grouped(target);
}

std::string statuses_text(const json& statuses, bool colour) {
  Rows rows = {{"NAME", "STATE", "POSITION", "BEHIND", "EVENTS/S", "PARKED", "ROWS", "REBUILD"}};
  std::string reasons;
  for (const json& status : statuses) {
    rows.push_back({text_member(status, "name"), text_member(status, "state"),
                    grouped(number_member(status, "position")), lag_text(status),
                    rate_text(real_member(status, "eventsPerSecond")),
                    grouped(number_member(status, "parkedKeys")), grouped(number_member(status, "rows")),
                    rebuild_cell(status)});
    if (!text_member(status, "reason").empty()) {
      reasons += on_one_line(text_member(status, "name") + " is " + state_and_reason(status)) + "\n";
    }
  }
  const auto paint = [&](std::size_t row, std::size_t column, const std::string& text) {
    return row > 0 && column == kStateColumn ? coloured(text, colour_of(text), colour) : text;
  };
  return table_text(rows, paint) + (reasons.empty() ? "" : "\n" + reasons);
}

std::string status_text(const json& given, bool colour) {
  const json status = given.is_object() ? given : json::object();
  Rows rows = {{text_member(status, "name"), state_and_reason(status)}};
  const std::string lag = lag_text(status);
  rows.push_back({"position", grouped(number_member(status, "position")) + " of " +
                                  grouped(number_member(status, "head")) +
                                  (lag == "-" ? "" : ", behind by " + lag)});
  rows.push_back({"speed", rate_text(real_member(status, "eventsPerSecond")) + " events/s"});
  rows.push_back(
      {"rows", grouped(number_member(status, "rows")) + ", " + byte_size(number_member(status, "bytes"))});
  rows.push_back({"generation", generation_text(status)});
  add_rebuild(object_member(status, "rebuild"), rows);
  add_parked(status, rows);
  add_passed_over(status, rows);
  if (const std::uint64_t retries = number_member(status, "retries"); retries > 0) {
    rows.push_back({"retries", grouped(retries)});
  }
  add_errors(status, rows);
  rows.push_back({"definition", definition_text(status)});
  if (is_true(status, "outdated")) {
    rows.push_back({"outdated", "schemas or upcasters have changed since; a rebuild could give other rows"});
  }
  const auto paint = [&](std::size_t row, std::size_t column, const std::string& text) {
    return row == 0 && column == kStateColumn ? coloured(text, colour_of(text), colour) : text;
  };
  return table_text(rows, paint);
}

}  // namespace cairn::cli
