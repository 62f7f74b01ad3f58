#include <unistd.h>

#include <CLI/CLI.hpp>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tools/cli/cell_text.h"
#include "tools/cli/exit_code.h"
#include "tools/cli/failure_report.h"
#include "tools/cli/schema/check_output.h"
#include "tools/cli/schema/registry_client.h"
#include "tools/cli/schema/schema_commands.h"
#include "tools/cli/schema/schema_source.h"
#include "tools/cli/schema/server_history.h"
#include "tools/cli/server_options.h"
#include "tools/cli/terminal.h"

namespace cairn::cli {

namespace {

using nlohmann::ordered_json;

struct RegisterArguments {
  ServerOptions server;
  SchemaSource source;
};

struct Registration {
  std::string subject;
  std::string path;
  bool is_new = false;
  int version = 0;
  int id = 0;
};

// Registers schemas one after the other and stops at the first that is refused.
class RegisterRun {
 public:
  explicit RegisterRun(RegistryClient& registry) : registry_(registry) {}

  Status add(const SchemaFile& file) {
    CAIRN_TRY(auto before, registry_.look_up(file));
    const bool is_new = !before.found;
    if (is_new) {
      CAIRN_TRY(const api::Answer answer, registry_.add(file));
      if (!answer.ok()) {
        return make_error(Errc::kFailedPrecondition, file.path + ": " + refusal_text(answer));
      }
      CAIRN_TRY(before, registry_.look_up(file));
      if (!before.found) {
        return make_error(Errc::kFailedPrecondition,
                          file.path + ": was registered, but somebody has deleted it since");
      }
    }
    done.push_back({file.subject, file.path, is_new, before.found->version, before.found->id});
    return {};
  }

  std::vector<Registration> done;

 private:
  RegistryClient& registry_;
};

std::string as_json(const std::vector<Registration>& done) {
  ordered_json schemas = ordered_json::array();
  for (const Registration& schema : done) {
    schemas.push_back({{"subject", schema.subject},
                       {"file", schema.path},
                       {"verdict", schema.is_new ? "registered" : "unchanged"},
                       {"version", schema.version},
                       {"id", schema.id}});
  }
  return ordered_json{{"schemas", std::move(schemas)}}.dump(2, ' ', false,
                                                            ordered_json::error_handler_t::replace) +
         "\n";
}

std::string as_table(const std::vector<Registration>& done) {
  std::vector<std::vector<std::string>> rows = {{"SUBJECT", "FILE", "VERSION", "ID", ""}};
  for (const Registration& schema : done) {
    rows.push_back({schema.subject, schema.path, std::to_string(schema.version), std::to_string(schema.id),
                    schema.is_new ? "registered" : "unchanged"});
  }
  return table_text(rows);
}

int run_register(const RegisterArguments& arguments) {
  const auto folder = read_schema_source(arguments.source);
  if (!folder) return report_failure(folder.error());
  auto client = make_client(arguments.server);
  if (!client) return report_usage(client.error().message);
  RegistryClient registry(*client);

  // All of them first, so that a folder is not registered by half.
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
  RegisterRun run(registry);
  Status status;
  for (const SchemaFile& file : folder->files) {
    status = run.add(file);
    if (!status) break;
  }
  std::cout << (arguments.server.json ? as_json(run.done) : as_table(run.done)) << std::flush;
  for (const std::string& note : folder->notes) std::cerr << "note: " << on_one_line(note) << '\n';
  if (status) return kExitOk;
  const int code = report_failure(status.error());
  std::cerr << run.done.size() << " of " << folder->files.size()
            << " schemas are registered; the same command again goes on.\n";
  return code;
}

}  // namespace

void add_schema_register_command(CLI::App& schema, int& exit_code) {
  CLI::App& command = *schema.add_subcommand("register", "Register schemas, in an order that works");
  command.footer(
      "\nAll files are checked first: when one is refused, none is registered. A schema that is there "
      "already\n"
      "stays as it is. What a schema refers to (Subject.refs.json, see `cairn schema check --help`) goes "
      "before it.\n"
      "\nExamples:\n"
      "  cairn schema register OrderPlaced schemas/OrderPlaced.avsc\n"
      "  cairn schema register --dir schemas/");
  auto arguments = std::make_shared<RegisterArguments>();
  add_schema_source(command, arguments->source);
  add_server_options(command, arguments->server);
  command.callback([arguments, &exit_code] { exit_code = run_register(*arguments); });
}

}  // namespace cairn::cli
