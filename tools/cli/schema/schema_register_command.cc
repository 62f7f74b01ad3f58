#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tools/cli/schema/check_output.h"
#include "tools/cli/schema/register_run.h"
#include "tools/cli/schema/registry_client.h"
#include "tools/cli/schema/schema_commands.h"
#include "tools/cli/schema/schema_source.h"
#include "tools/cli/schema/server_history.h"
#include "tools/cli/server/failure_report.h"
#include "tools/cli/server/server_options.h"
#include "tools/cli/text/cell_text.h"
#include "tools/cli/text/exit_code.h"
#include "tools/cli/text/json_member.h"
#include "tools/cli/text/terminal.h"
#include "tools/cli/upcaster/deploy_report.h"

namespace cairn::cli {

namespace {

using nlohmann::ordered_json;

struct RegisterArguments {
  ServerOptions server;
  SchemaSource source;
};

// Long, because the server runs an upcaster over the whole log before it answers.
constexpr std::chrono::hours kSilenceMax{24};

constexpr std::size_t kFailuresShown = 20;

// The body of a refusal as JSON; a body that is not an object becomes a string.
ordered_json refusal_json(const std::string& refusal) {
  const ordered_json problem = ordered_json::parse(refusal, nullptr, false);
  return problem.is_object() ? problem : ordered_json(refusal);
}

std::string as_json(const RegisterRun& run) {
  ordered_json all = {{"schemas", ordered_json::array()}, {"upcasters", ordered_json::array()}};
  for (const RegisterRun::Schema& schema : run.schemas()) {
    all["schemas"].push_back({{"subject", schema.subject},
                              {"file", schema.path},
                              {"verdict", schema.is_new ? "registered" : "unchanged"},
                              {"version", schema.version},
                              {"id", schema.id}});
  }
  for (const RegisterRun::InstalledScript& script : run.scripts()) {
    all["upcasters"].push_back({{"subject", script.subject},
                                {"file", script.path},
                                {"verdict", script.is_new ? "installed" : "unchanged"},
                                {"from", script.from},
                                {"to", script.to}});
  }
  if (!run.refusal().empty()) all["refusal"] = refusal_json(run.refusal());
  return dumped(all, 2) + "\n";
}

std::string as_table(const RegisterRun& run) {
  std::vector<std::vector<std::string>> rows = {{"SUBJECT", "FILE", "VERSION", "ID", ""}};
  for (const RegisterRun::Schema& schema : run.schemas()) {
    rows.push_back({schema.subject, schema.path, std::to_string(schema.version), std::to_string(schema.id),
                    schema.is_new ? "registered" : "unchanged"});
  }
  for (const RegisterRun::InstalledScript& script : run.scripts()) {
    rows.push_back({script.subject, script.path,
                    std::to_string(script.from) + " → " + std::to_string(script.to), "",
                    script.is_new ? "installed" : "unchanged"});
  }
  return rows.size() > 1 ? table_text(rows) : "";
}

int report_stop(const RegisterRun& run, const Error& error, std::size_t files) {
  const int code = report_failure(error);
  if (lists_failures(run.refusal())) {
    std::cerr << failures_text(run.refusal(), kFailuresShown) << failures_sum(run.refusal()) << '\n';
  }
  std::cerr << run.schemas().size() << " of " << files
            << " schemas are registered; repeat the command to continue.\n";
  return code;
}

int run_register(const RegisterArguments& arguments) {
  const auto folder = read_schema_source(arguments.source);
  if (!folder) return report_failure(folder.error());
  const bool has_upcasters = std::any_of(folder->files.begin(), folder->files.end(),
                                         [](const SchemaFile& file) { return file.upcaster.has_value(); });
  auto client = has_upcasters ? make_client(arguments.server, kSilenceMax) : make_client(arguments.server);
  if (!client) return report_usage(client.error().message);
  RegistryClient registry(*client);

  // All files are checked before the first one is registered, so that a folder is not registered by half.
  ServerHistory history(registry);
  const auto checked = check_all(*folder, history);
  if (!checked) return report_failure(checked.error());
  if (checked->refused() > 0) {
    std::cout << (arguments.server.json ? cli::as_json(*checked)
                                        : cli::as_table(*checked, wants_colour(STDOUT_FILENO)));
    std::cout << std::flush;
    std::cerr << "cairn: nothing was registered\n";
    return kExitNo;
  }
  RegisterRun run(*client);
  const Status status = run.add_all(folder->files);
  std::cout << (arguments.server.json ? as_json(run) : as_table(run)) << std::flush;
  for (const std::string& note : folder->notes) std::cerr << "note: " << on_one_line(note) << '\n';
  return status ? kExitOk : report_stop(run, status.error(), folder->files.size());
}

}  // namespace

void add_schema_register_command(CLI::App& schema, CommandAction& action) {
  CLI::App& command = *schema.add_subcommand("register", "Register schemas, references first");
  command.footer(
      "\nAll files are checked first: when one is refused, none is registered. A schema that is already "
      "registered\n"
      "is not changed. References (Subject.refs.json, see `cairn schema check --help`) are registered before "
      "the\n"
      "schemas that use them. An upcaster in the folder of the versions (OrderPlaced/1-2.lua) is sent with "
      "the\n"
      "schema it leads to, which then need not be compatible: the server runs it on all stored events first, "
      "and\n"
      "accepts both or neither.\n"
      "\nExamples:\n"
      "  cairn schema register OrderPlaced schemas/OrderPlaced.avsc\n"
      "  cairn schema register OrderPlaced OrderPlaced.avsc --upcaster 1-2.lua\n"
      "  cairn schema register --dir schemas/");
  auto arguments = std::make_shared<RegisterArguments>();
  add_schema_source(command, arguments->source);
  add_server_options(command, arguments->server);
  run_after_parsing(command, action, [arguments] { return run_register(*arguments); });
}

}  // namespace cairn::cli
