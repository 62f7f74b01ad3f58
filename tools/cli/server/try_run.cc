#include "tools/cli/server/try_run.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <iostream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>
#include <vector>

#include "eventstore/base/file.h"
#include "eventstore/json/json_check.h"
#include "eventstore/json/json_cursor.h"
#include "eventstore/json/json_writer.h"
#include "tools/cli/server/answer_output.h"
#include "tools/cli/server/failure_report.h"
#include "tools/cli/server/script_deploy.h"
#include "tools/cli/text/cell_text.h"
#include "tools/cli/text/exit_code.h"
#include "tools/cli/text/json_member.h"
#include "tools/cli/text/number_text.h"

namespace cairn::cli {

namespace {

using nlohmann::json;

constexpr std::uint64_t kLastDefault = 1'000;
constexpr std::uintmax_t kEventsFileBytesMax = 64u << 20;

Error wrong_events(std::string message) { return make_error(Errc::kInvalidArgument, std::move(message)); }

Result<std::string> read_events_text(const std::string& path) {
  if (path == "-") return std::string(std::istreambuf_iterator<char>(std::cin), {});
  std::error_code error;
  if (std::filesystem::is_directory(path, error))
    return wrong_events(path + " is a folder, not a file of events");
  const std::uintmax_t bytes = std::filesystem::file_size(path, error);
  if (!error && bytes > kEventsFileBytesMax) {
    return wrong_events(path + " has " + byte_size(bytes) + "; a trial takes at most " +
                        byte_size(kEventsFileBytesMax));
  }
  auto text = read_file(path);
  if (!text) return wrong_events(text.error().message);
  return *std::move(text);
}

// A file of events: one JSON object in each line.
struct EventsFile {
  std::vector<std::string> lines;
  TrialEvents events;
};

Result<EventsFile> read_events(const std::string& path, const std::string& default_stream) {
  CAIRN_TRY(const std::string text, read_events_text(path));
  EventsFile file;
  GivenEvents given(default_stream);
  std::size_t number = 0;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    const std::string_view line = std::string_view(text).substr(begin, end - begin);
    begin = end + 1;
    ++number;
    if (line.find_first_not_of(" \t\r") == std::string_view::npos) continue;
    const auto at = [&](const std::string& what) {
      return wrong_events(fmt::format("{}:{}: {}", path == "-" ? "stdin" : path, number, what));
    };
    if (const auto fault = check_json(line)) {
      return at(fmt::format("is not an event as JSON: {}, at byte {}", fault->message, fault->offset));
    }
    JsonCursor cursor(line);
    if (const Status taken = given.take(cursor); !taken) return at(taken.error().message);
    file.lines.emplace_back(line);
  }
  if (file.lines.empty()) return wrong_events((path == "-" ? "stdin" : path) + ": has no events");
  file.events = given.finish();
  return file;
}

std::string request_body(const ScriptFile& script, const TryArguments& arguments, const EventsFile* events) {
  return json_object([&](JsonWriter& json) {
    json.text("source", script.source);
    json.text("file", script.name());
    if (events != nullptr) {
      json.begin_array("events");
      for (const std::string& line : events->lines) json.raw(line);
      json.end_array();
    } else if (!arguments.stream.empty()) {
      json.text("stream", arguments.stream);
    } else {
      json.number("last", arguments.last == 0 ? kLastDefault : arguments.last);
    }
  });
}

// "order.lua:12: attempt to … (event 4711, stream order-7)"
std::string error_line(const json& error, const std::string& path) {
  // An event that cannot be brought into its newest shape is no failure of the script.
  std::string place = text_member(error, "file").empty() ? "cairn" : path;
  if (const std::uint64_t line = number_member(error, "line"); line > 0) place += ":" + std::to_string(line);
  const bool has_position = error.is_object() && error.contains("position") && !error["position"].is_null();
  const std::string event = has_position
                                ? fmt::format("event {}", number_member(error, "position"))
                                : fmt::format("event {} of those given", number_member(error, "index") + 1);
  std::string text = fmt::format("{}: {} ({}, stream {}", place, text_member(error, "message"), event,
                                 text_member(error, "stream"));
  if (const std::string key = text_member(error, "key");
      !key.empty() && key != text_member(error, "stream")) {
    text += ", key " + key;
  }
  return on_one_line(text + ")");
}

std::string summary_line(const json& report) {
  std::string text = fmt::format("{}: {} applied", counted(number_member(report, "given"), "event"),
                                 grouped(number_member(report, "events")));
  if (const std::uint64_t failed = number_member(report, "failed"); failed > 0) {
    text += fmt::format(", {} failed", grouped(failed));
  }
  if (const std::uint64_t waiting = number_member(report, "waiting"); waiting > 0) {
    text += fmt::format(", {} behind them", grouped(waiting));
  }
  const std::uint64_t passed_over = number_member(report, "passedOver");
  if (passed_over == 0) return text;
  text += fmt::format(", {} passed over", grouped(passed_over));
  std::string reasons;
  const json why_passed_over = object_member(report, "passedOverWhy");
  for (const auto& [why, count] : why_passed_over.items()) {
    reasons += fmt::format("{}{}: {}", reasons.empty() ? "" : ", ", why, count.dump());
  }
  return on_one_line(text + " (" + reasons + ")");
}

std::string rows_text(const std::string& report, const char* heading) {
  std::vector<std::vector<std::string>> rows = {{heading, "ROW"}};
  for (const std::string& row : raw_elements(report, "rows")) {
    rows.push_back({text_member(json::parse(row, nullptr, false), "key"), raw_member(row, "row")});
  }
  return rows.size() > 1 ? table_text(rows) : "";
}

std::string results_text(const std::string& report) {
  std::string text;
  for (const std::string& result : raw_elements(report, "results")) {
    const json parsed = json::parse(result, nullptr, false);
    text += fmt::format("{} version {}\n  before  {}\n", on_one_line(text_member(parsed, "stream")),
                        number_member(parsed, "version"), raw_member(result, "before"));
    const auto after = raw_elements(result, "after");
    for (const std::string& part : after) {
      text += fmt::format(
          "  after   {}{}\n", raw_member(part, "data"),
          after.size() > 1 ? "  " + on_one_line(text_member(json::parse(part, nullptr, false), "type")) : "");
    }
    if (after.empty()) text += "  after   nothing: the event is dropped\n";
  }
  return text;
}

// Rows, or results, and facts on stdout; errors and warnings on stderr.
void print_report(const std::string& text, const ScriptFile& script, const TryKind& kind) {
  const json report = json::parse(text, nullptr, false);
  std::cout << (report.contains("results") ? results_text(text) : rows_text(text, kind.rows));
  if (const std::uint64_t more = number_member(report, "more"); more > 0) {
    std::cout << "… and " << grouped(more) << " more\n";
  }
  std::cout << summary_line(report) << '\n';
  const json fields_used = object_member(report, "fieldsUsed");
  for (const auto& [type, fields] : fields_used.items()) {
    std::string list;
    for (const json& field : fields) list += (list.empty() ? "" : ", ") + field.get<std::string>();
    std::cout << on_one_line("fields of " + type + ": " + list) << '\n';
  }
  std::cout << std::flush;
  for (const json& error : list_member(report, "errors")) std::cerr << error_line(error, script.path) << '\n';
  if (const std::uint64_t more = number_member(report, "moreErrors"); more > 0) {
    std::cerr << "… and " << counted(more, "more error") << '\n';
  }
  print_warnings(text);
}

std::string conflict_in(const TryArguments& arguments) {
  const int ways =
      (arguments.events.empty() ? 0 : 1) + (arguments.last == 0 ? 0 : 1) + (arguments.stream.empty() ? 0 : 1);
  if (ways > 1) return "give one of --events, --last and --stream";
  if (arguments.offline && arguments.events.empty())
    return "--offline needs --events: there is no server to ask";
  if (arguments.file == "-" && arguments.events == "-")
    return "stdin can be the script or the events, not both";
  return "";
}

Result<std::string> report_of_server(const TryArguments& arguments, const TryKind& kind,
                                     const ScriptFile& script, const EventsFile* events, int& exit_code) {
  auto client = make_client(arguments.server);
  if (!client) {
    exit_code = report_usage(client.error().message);
    return std::move(client).error();
  }
  const auto answer = client->post_json(kind.path, request_body(script, arguments, events));
  if (!answer) {
    exit_code = report_unreachable(answer.error());
    return answer.error();
  }
  if (!answer->ok()) {
    exit_code = report_refusal(*answer, arguments.server.json);
    return make_error(Errc::kFailedPrecondition, "refused");
  }
  return answer->body;
}

}  // namespace

void add_try_options(CLI::App& command, TryArguments& arguments, bool with_stream) {
  command.add_option("file", arguments.file, "The script, or - for stdin")->type_name("FILE")->required();
  command
      .add_option("--events", arguments.events,
                  "Try it on these events: a JSON object in each line, as `cairn read --json` prints them; - "
                  "for stdin")
      ->type_name("FILE");
  command
      .add_option("--last", arguments.last,
                  "Try it on the last events of the log that it selects (default 1000)")
      ->type_name("N")
      ->check(CLI::Range(std::uint64_t{1}, std::uint64_t{kTrialEventsMax}));
  if (with_stream) {
    command.add_option("--stream", arguments.stream, "Try it on the events of one stream")
        ->type_name("STREAM");
  }
  command.add_flag("--offline", arguments.offline, "Run it here, on --events, without a server");
  add_server_options(command, arguments.server);
}

int run_try(const TryArguments& arguments, const TryKind& kind) {
  if (const std::string conflict = conflict_in(arguments); !conflict.empty()) return report_usage(conflict);
  const auto script = read_script_file(arguments.file);
  if (!script) return report_usage(script.error().message);
  std::optional<EventsFile> events;
  if (!arguments.events.empty()) {
    auto read = read_events(arguments.events, kind.default_stream);
    if (!read) return report_usage(read.error().message);
    events = *std::move(read);
  }
  std::string text;
  if (arguments.offline) {
    auto report = kind.offline(*script, events->events);
    if (!report) return report_script_error(report.error(), arguments.server.json);
    text = *std::move(report);
  } else {
    int exit_code = kExitOk;
    auto report = report_of_server(arguments, kind, *script, events ? &*events : nullptr, exit_code);
    if (!report) return exit_code;
    text = *std::move(report);
  }
  if (arguments.server.json) {
    print_line(text);
  } else {
    print_report(text, *script, kind);
  }
  const json report = json::parse(text, nullptr, false);
  return number_member(report, "failed") == 0 && is_true(report, "complete") ? kExitOk : kExitNo;
}

std::size_t print_warnings(const std::string& answer) {
  const json warnings = list_member(json::parse(answer, nullptr, false), "warnings");
  for (const json& warning : warnings) {
    std::cerr << on_one_line("cairn: warning: " + text_member(warning, "message")) << '\n';
  }
  return warnings.size();
}

}  // namespace cairn::cli
