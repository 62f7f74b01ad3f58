#include "tools/cli/server/failure_report.h"

#include <fmt/format.h>

#include <iostream>
#include <nlohmann/json.hpp>

#include "tools/cli/text/cell_text.h"
#include "tools/cli/text/exit_code.h"

namespace cairn::cli {

namespace {

using nlohmann::json;

constexpr std::size_t kForeignTextMax = 300;
constexpr std::size_t kFaultsShownMax = 10;
constexpr char kTokenHint[] = "\n  Set the variable CAIRN_TOKEN, or use --token-file.";

// "" when there is no such text.
std::string text_in(const json& object, const char* field) {
  const auto found = object.find(field);
  return found != object.end() && found->is_string() ? found->get<std::string>() : "";
}

std::string failure_text(const json& value) {
  return value.dump(-1, ' ', false, json::error_handler_t::replace);
}

// The entries of `errors`, one a line.
std::string faults_text(const json& problem) {
  const auto errors = problem.find("errors");
  if (errors == problem.end() || !errors->is_array()) return "";
  std::string text;
  std::size_t shown = 0;
  for (const json& error : *errors) {
    if (!error.is_object()) continue;
    if (shown++ == kFaultsShownMax) return text + "\n  and more";
    text += "\n  event " + failure_text(error.value("event", json()));
    if (const std::string path = text_in(error, "path"); !path.empty()) text += " at " + on_one_line(path);
    text += ": expected " + on_one_line(text_in(error, "expected"));
    const json found = error.value("found", json());
    text += ", found " + on_one_line(found.is_string() ? found.get<std::string>() : failure_text(found));
  }
  return text;
}

// A hint to start a server when the connection was refused. "" after other errors.
std::string_view start_hint(const Error& error) {
  if (error.code != Errc::kIo || !error.message.ends_with(": no server answers there")) return "";
  return "; `cairn serve` starts one, --url or CAIRN_URL names another";
}

json problem_in(const api::Answer& answer) {
  json problem = json::parse(answer.body, nullptr, false);
  return problem.is_object() && problem.contains("title") ? problem : json();
}

// The message of a schema registry's error: {"error_code": 40401, "message": "…"}. "" for other bodies.
std::string registry_refusal(const api::Answer& answer) {
  const json body = json::parse(answer.body, nullptr, false);
  if (!body.is_object() || !body.value("error_code", json()).is_number_integer()) return "";
  const std::string message = text_in(body, "message");
  if (message.empty()) return "";
  // The code of an error that has none of its own is the status.
  const std::string code = failure_text(body["error_code"]);
  const std::string status = std::to_string(answer.status);
  return fmt::format("{} ({}){}", on_one_line(message), code == status ? status : status + " " + code,
                     answer.status == 401 ? kTokenHint : "");
}

}  // namespace

int report_usage(const std::string& message) {
  std::cerr << "cairn: " << message << '\n';
  return kExitUsage;
}

int report_unreachable(const Error& error) {
  std::cerr << "cairn: " << error.message << start_hint(error) << '\n';
  return kExitUnreachable;
}

int report_failure(const Error& error) {
  std::cerr << "cairn: " << error.message << start_hint(error) << '\n';
  switch (error.code) {
    case Errc::kIo:
    case Errc::kOutcomeUnknown:
      return kExitUnreachable;
    case Errc::kInvalidArgument:
      return kExitUsage;
    default:
      return kExitNo;
  }
}

std::string problem_slug(const api::Answer& answer) {
  const std::string type = text_in(problem_in(answer), "type");
  return type.substr(type.rfind('/') + 1);
}

std::string refusal_text(const api::Answer& answer) {
  const json problem = problem_in(answer);
  if (problem.is_null()) {
    if (const std::string registry = registry_refusal(answer); !registry.empty()) return registry;
    return fmt::format("the server answered {}: {}", answer.status, shortened(answer.body, kForeignTextMax));
  }
  std::string reason = text_in(problem, "detail");
  if (reason.empty()) reason = text_in(problem, "title");
  std::string text = fmt::format("{} ({} {}){}", on_one_line(reason), answer.status,
                                 on_one_line(problem_slug(answer)), faults_text(problem));
  return answer.status == 401 ? text + kTokenHint : text;
}

int report_refusal(const api::Answer& answer, bool json) {
  if (json) {
    std::cout << answer.body << (answer.body.ends_with('\n') ? "" : "\n") << std::flush;
  } else {
    std::cerr << "cairn: " << refusal_text(answer) << '\n';
  }
  return kExitNo;
}

}  // namespace cairn::cli
