#include <CLI/CLI.hpp>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tools/cli/schema/registry_client.h"
#include "tools/cli/schema/schema_commands.h"
#include "tools/cli/server/failure_report.h"
#include "tools/cli/server/server_options.h"
#include "tools/cli/text/cell_text.h"
#include "tools/cli/text/exit_code.h"

namespace cairn::cli {

namespace {

using nlohmann::ordered_json;

struct ListArguments {
  ServerOptions server;
  bool deleted = false;
};

struct Subject {
  std::string name;
  std::vector<int> versions;
  std::string level;
};

Result<std::vector<Subject>> read_subjects(RegistryClient& registry, Deleted deleted) {
  CAIRN_TRY(const std::vector<std::string> names, registry.subjects(deleted));
  std::vector<Subject> subjects;
  for (const std::string& name : names) {
    CAIRN_TRY(auto versions, registry.versions(name, deleted));
    if (!versions) continue;  // Deleted since the list was read.
    CAIRN_TRY(std::string level, registry.level(name));
    subjects.push_back({name, *std::move(versions), std::move(level)});
  }
  return subjects;
}

// {1,2,3,7} as "1-3, 7".
std::string ranges_text(const std::vector<int>& numbers) {
  std::string text;
  for (std::size_t i = 0; i < numbers.size();) {
    std::size_t last = i;
    while (last + 1 < numbers.size() && numbers[last + 1] == numbers[last] + 1) ++last;
    text += (text.empty() ? "" : ", ") + std::to_string(numbers[i]);
    if (last > i) text += (last == i + 1 ? ", " : "-") + std::to_string(numbers[last]);
    i = last + 1;
  }
  return text;
}

int run_list(const ListArguments& arguments) {
  auto client = make_client(arguments.server);
  if (!client) return report_usage(client.error().message);
  RegistryClient registry(*client);
  const auto subjects = read_subjects(registry, arguments.deleted ? Deleted::kIncluded : Deleted::kLeftOut);
  if (!subjects) return report_failure(subjects.error());
  if (arguments.server.json) {
    ordered_json list = ordered_json::array();
    for (const Subject& subject : *subjects) {
      list.push_back({{"subject", subject.name}, {"versions", subject.versions}, {"level", subject.level}});
    }
    std::cout << ordered_json{{"subjects", std::move(list)}}.dump(2, ' ', false,
                                                                  ordered_json::error_handler_t::replace)
              << '\n';
    return kExitOk;
  }
  if (subjects->empty()) {
    std::cerr << "No schema is registered.\n";
    return kExitOk;
  }
  std::vector<std::vector<std::string>> rows = {{"SUBJECT", "VERSIONS", "LEVEL"}};
  for (const Subject& subject : *subjects) {
    rows.push_back({subject.name, ranges_text(subject.versions), subject.level});
  }
  std::cout << table_text(rows);
  return kExitOk;
}

}  // namespace

void add_schema_list_command(CLI::App& schema, CommandAction& action) {
  CLI::App& command = *schema.add_subcommand("list", "Show all subjects with their versions and levels");
  command.footer("\nExamples:\n  cairn schema list\n  cairn schema list --deleted --json");
  auto arguments = std::make_shared<ListArguments>();
  command.add_flag("--deleted", arguments->deleted, "Also what was deleted without --permanent");
  add_server_options(command, arguments->server);
  run_after_parsing(command, action, [arguments] { return run_list(*arguments); });
}

}  // namespace cairn::cli
