#include "tools/cli/commands/commands.h"

#include <CLI/CLI.hpp>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "api/client/client.h"
#include "api/client/server_url.h"
#include "eventstore/base/base64.h"
#include "eventstore/base/uuid.h"
#include "eventstore/json/json_writer.h"
#include "tools/cli/server/failure_report.h"
#include "tools/cli/server/server_options.h"
#include "tools/cli/text/event_text.h"
#include "tools/cli/text/exit_code.h"
#include "tools/cli/text/number_text.h"
#include "tools/cli/text/text_argument.h"

namespace cairn::cli {

namespace {

struct AppendArguments {
  ServerOptions server;
  std::string stream;
  std::string type;
  std::string data;
  std::string content_type;  // not empty: the data is bytes
  std::string metadata;
  std::string expect = "any";
  std::string id;
  std::uint64_t caused_by = 0;  // 0: none
  std::string condition;
  std::vector<std::string> tags;
};

// The body of the request. kInvalidArgument when the data or the metadata are not JSON.
Result<std::string> request_body(const AppendArguments& arguments, const std::string& id) {
  EventText event{.id = id, .type = arguments.type, .tags = tags_json(arguments.tags)};
  if (arguments.content_type.empty()) {
    CAIRN_TRY(event.data, json_argument("--data", arguments.data));
  } else {
    CAIRN_TRY(const std::string bytes, bytes_argument("--data", arguments.data));
    event.content_type = arguments.content_type;
    event.data = "\"";
    append_base64(event.data, bytes);
    event.data += '"';
  }
  if (!arguments.metadata.empty()) {
    CAIRN_TRY(event.metadata, json_argument("--metadata", arguments.metadata));
  }
  std::string body;
  JsonWriter json(body);
  json.begin_object();
  json.raw("expectedVersion", expectation_json(arguments.expect));
  if (arguments.caused_by != 0) json.number("causedBy", arguments.caused_by);
  if (!arguments.condition.empty()) {
    CAIRN_TRY(const std::string condition, json_argument("--condition", arguments.condition));
    json.raw("condition", condition);
  }
  json.begin_array("events");
  json.element();
  append_event(body, event);
  json.end_array();
  json.end_object();
  return body;
}

// After a lost connection the outcome is unknown. The event's id makes the retry idempotent.
Result<api::Answer> post(api::Client& client, const std::string& path, const std::string& body) {
  auto answer = client.post_json(path, body);
  if (!answer && answer.error().code == Errc::kOutcomeUnknown) return client.post_json(path, body);
  return answer;
}

int print_result(const AppendArguments& arguments, const api::Answer& answer) {
  if (arguments.server.json) {
    std::cout << answer.body << (answer.body.ends_with('\n') ? "" : "\n");
    return kExitOk;
  }
  const auto result = nlohmann::json::parse(answer.body, nullptr, false);
  if (!result.is_object() || !result.value("lastVersion", nlohmann::json()).is_number_unsigned() ||
      !result.value("lastPosition", nlohmann::json()).is_number_unsigned()) {
    return report_refusal(answer, false);  // The answer is not a Cairn server's.
  }
  const std::string place = "version " + grouped(result["lastVersion"].get<std::uint64_t>()) + " (position " +
                            grouped(result["lastPosition"].get<std::uint64_t>()) + ")";
  if (result.value("alreadyApplied", nlohmann::json(false)) == true) {
    std::cout << arguments.stream << ": already applied, as " << place << '\n';
  } else {
    std::cout << arguments.stream << " is at " << place << '\n';
  }
  return kExitOk;
}

int run_append(const AppendArguments& arguments) {
  const std::string id = arguments.id.empty() ? new_event_id().to_string() : arguments.id;
  const auto body = request_body(arguments, id);
  if (!body) return report_usage(body.error().message);
  auto client = make_client(arguments.server);
  if (!client) return report_usage(client.error().message);

  const std::string path = "/streams/" + api::percent_encoded(arguments.stream) + "/events";
  const auto answer = post(*client, path, *body);
  if (!answer) {
    const int code = report_unreachable(answer.error());
    if (answer.error().code == Errc::kOutcomeUnknown) {
      std::cerr << "The event may be stored or not. To be sure, repeat the command with --id " << id << '\n';
    }
    return code;
  }
  if (!answer->ok()) {
    const int code = report_refusal(*answer, arguments.server.json);
    if (problem_slug(*answer) == "outcome-unknown") {
      std::cerr << "To be sure, repeat the command with --id " << id << '\n';
    }
    return code;
  }
  return print_result(arguments, *answer);
}

std::string check_id(const std::string& text) { return Uuid::parse(text) ? "" : "must be a UUID"; }

}  // namespace

void add_append_command(CLI::App& app, CommandAction& action) {
  CLI::App& command = *app.add_subcommand("append", "Append one event to a stream");
  command.footer(
      "\nThe event is on disk when the command returns. Without --id it gets a fresh one; with the same id "
      "it is\n"
      "stored once, however often the command is repeated.\n"
      "\nExamples:\n"
      "  cairn append order-42 --type OrderPlaced --data '{\"total\": 99.90}'\n"
      "  cairn append order-42 --type OrderShipped --data @shipped.json --expect 1\n"
      "  cairn append order-42 --type LabelPrinted --data @label.png --content-type image/png\n"
      "  cairn append seat-12 --type SeatReserved --data '{}' --tag seat:12 --condition @once.json\n"
      "  jq -c .order in.json | cairn append order-42 --type OrderChanged --data - --tag customer:7");
  auto arguments = std::make_shared<AppendArguments>();
  command.add_option("stream", arguments->stream, "The stream, as in order-42")
      ->type_name("STREAM")
      ->required();
  command.add_option("--type", arguments->type, "The type of the event")->type_name("TYPE")->required();
  command.add_option("--data", arguments->data, "The data of the event: JSON, @FILE, or - for stdin")
      ->type_name("JSON")
      ->required();
  command
      .add_option("--content-type", arguments->content_type,
                  "Store the data as opaque bytes of this type, unchecked")
      ->type_name("MIME")
      ->check(CLI::Validator([](const std::string& text) { return text.empty() ? "must not be empty" : ""; },
                             ""));
  command.add_option("--metadata", arguments->metadata, "The metadata of the event: a JSON object, or @FILE")
      ->type_name("JSON");
  command
      .add_option("--expect", arguments->expect,
                  "Append only if the stream is at this version (0 = does not exist), or 'exists', or 'any'")
      ->type_name("VERSION")
      ->check(CLI::Validator(check_expectation, ""))
      ->capture_default_str();
  command
      .add_option("--condition", arguments->condition,
                  "Append only if no event of the log matches: the condition of an append in JSON, or @FILE")
      ->type_name("JSON")
      ->check(CLI::Validator([](const std::string& text) { return text.empty() ? "is empty" : ""; }, ""));
  command.add_option("--id", arguments->id, "The id of the event")
      ->type_name("UUID")
      ->check(CLI::Validator(check_id, ""));
  command
      .add_option("--caused-by", arguments->caused_by,
                  "The position of the event that caused this one, whose ids go into the metadata")
      ->type_name("POSITION")
      ->check(CLI::PositiveNumber);
  command.add_option("--tag", arguments->tags, "A tag, repeatable")
      ->type_name("TAG")
      ->allow_extra_args(false);
  add_server_options(command, arguments->server);
  run_after_parsing(command, action, [arguments] { return run_append(*arguments); });
}

}  // namespace cairn::cli
