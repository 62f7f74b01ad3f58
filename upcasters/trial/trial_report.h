#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "eventstore/base/result.h"
#include "eventstore/types.h"
#include "upcasters/lua/script_error.h"
#include "upcasters/model/shaped_event.h"

namespace cairn {

// Something about a script that its author should know, though it runs.
struct ScriptWarning {
  std::string kind;     // a word for programs: unknown-type, key-nil, parked, never-called, absent-field, …
  std::string message;  // a sentence without its full stop
  friend bool operator==(const ScriptWarning&, const ScriptWarning&) = default;
};

// [{"kind","message"}]
std::string to_json(const std::vector<ScriptWarning>& warnings);

// An event on which the script failed.
struct TrialError {
  std::size_t index = 0;                   // of the event among those of the trial, from 0
  std::optional<GlobalPosition> position;  // nullopt: a given event has none
  std::string stream;
  std::string type;
  StreamVersion version;
  std::string key;  // of a projection; "" when it is not known
  std::string file;
  int line = 0;  // 0: unknown
  std::string message;
  std::string event;  // JSON, bounded
};

// One row of a projection, one state of an aggregate.
struct TrialRow {
  std::string key;
  std::string json;
};

// What one event became, by an upcaster.
struct TrialResult {
  std::size_t index = 0;
  std::optional<GlobalPosition> position;
  std::string stream;
  StreamVersion version;
  std::string before;                                      // JSON
  std::vector<std::pair<std::string, std::string>> after;  // type and JSON; none: the event is dropped
};

// What a script made of some events. The lists are bounded; the numbers count all.
struct TrialReport {
  static constexpr std::size_t kShownMax = 1'000;  // rows, or results
  static constexpr std::size_t kShownBytesMax = 4u << 20;
  static constexpr std::size_t kErrorsMax = 100;
  static constexpr std::size_t kErrorDataBytesMax = 4u << 10;

  // False: the trial ended before the last event; a warning says why.
  bool complete = true;
  std::uint64_t given = 0;    // events that the trial got to
  std::uint64_t applied = 0;  // of these, those that were applied
  std::uint64_t passed_over = 0;
  std::map<std::string, std::uint64_t> passed_over_why;
  std::uint64_t failed = 0;
  std::uint64_t waiting = 0;  // behind one that failed
  std::uint64_t parked = 0;   // keys, or streams
  std::vector<TrialRow> rows;
  std::vector<TrialResult> results;
  std::uint64_t more = 0;  // rows, or results, that are not in the list
  std::vector<TrialError> errors;
  std::uint64_t more_errors = 0;
  std::map<std::string, std::set<std::string>> fields_used;
  std::vector<ScriptWarning> warnings;

  void pass_over(const char* why) {
    ++passed_over;
    ++passed_over_why[why];
  }
  void warn(std::string kind, std::string message) {
    warnings.push_back({std::move(kind), std::move(message)});
  }

  // Adds an error, or counts it when there are enough.
  void fail(std::size_t index, bool has_position, const EventView& event, const ShapedEvent& part,
            std::string key, const ScriptError& error);
  void add(TrialRow row);
  void add(TrialResult result);

  // The trial ends before the last event.
  void end_early(std::string why);

 private:
  bool fits(std::size_t bytes, std::size_t count);
  std::size_t shown_bytes_ = 0;
};

// Warns of members of `data` that a script read and no event had.
void warn_of_absent_fields(const std::map<std::string, std::set<std::string>>& absent, TrialReport& report);

// {"complete","given","events","passedOver","passedOverWhy","failed","waiting","parked","rows":[{"key","row"}],
//  "more","errors","moreErrors","fieldsUsed","warnings"}
std::string rows_report_json(const TrialReport& report);

// The same of an upcaster, with "results":[{"index","position","stream","version","before","after":[{"type","data"}]}]
// instead of rows, without "waiting" and "parked", and with "checkedAgainst": the version, or null.
std::string results_report_json(const TrialReport& report, std::optional<std::uint32_t> checked_against);

}  // namespace cairn
