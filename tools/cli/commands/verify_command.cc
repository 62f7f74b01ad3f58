#include "tools/cli/commands/commands.h"

#include <unistd.h>

#include <CLI/CLI.hpp>
#include <iomanip>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "eventstore/verify.h"
#include "tools/cli/serve/process_id.h"
#include "tools/cli/text/exit_code.h"
#include "tools/cli/text/number_text.h"
#include "tools/cli/text/progress_bar.h"
#include "tools/cli/text/terminal.h"
#include "upcasters/definitions/lost_version_search.h"

namespace cairn::cli {

namespace {

struct VerifyArguments {
  std::string data = "./cairn-data";
  bool json = false;
  bool ids = false;
};

// Findings quote stored bytes, which may not be UTF-8 when they are damaged.
std::string report_text(const nlohmann::json& json) {
  return json.dump(2, ' ', false, nlohmann::json::error_handler_t::replace);
}

using LostVersions = std::vector<LostVersionSearch::Found>;

nlohmann::json to_json(const LostVersions& lost) {
  auto list = nlohmann::json::array();
  for (const auto& one : lost) {
    list.push_back({{"type", one.type},
                    {"version", one.version},
                    {"schema", one.schema.value},
                    {"events", one.events},
                    {"firstPosition", one.first.value}});
  }
  return list;
}

nlohmann::json to_json(const VerifyReport& report, const LostVersions& lost) {
  auto findings = nlohmann::json::array();
  for (const VerifyFinding& finding : report.findings) {
    findings.push_back({{"place", finding.place}, {"what", finding.what}});
  }
  nlohmann::json json{{"sound", report.sound()},
                      {"storeId", report.store_id},
                      {"blocks", report.blocks},
                      {"events", report.events},
                      {"logBytes", report.log_bytes},
                      {"streams", report.streams},
                      {"indexRecords", report.index_records},
                      {"indexedThrough", report.indexed_through},
                      {"head", report.head},
                      {"headHash", report.head_hash},
                      {"damageCount", report.damage_count},
                      {"findings", std::move(findings)},
                      {"lostVersions", to_json(lost)}};
  if (report.repeated_id_count) {
    auto repeated = nlohmann::json::array();
    for (const RepeatedId& id : report.repeated_ids)
      repeated.push_back({{"id", id.id}, {"positions", id.positions}});
    json["repeatedIdCount"] = *report.repeated_id_count;
    json["repeatedIds"] = std::move(repeated);
  }
  return json;
}

void print_row(std::string_view name, const std::string& value, std::string_view meaning = "") {
  std::cout << "  " << std::left << std::setw(16) << name << value;
  if (!meaning.empty()) std::cout << "   " << meaning;
  std::cout << '\n';
}

void print_checked(const VerifyReport& report) {
  print_row("store", report.store_id);
  print_row("blocks", grouped(report.blocks), "checksums and hash chain");
  print_row("events", grouped(report.events), "positions, versions and checksums");
  print_row("log", byte_size(report.log_bytes));
  print_row("streams", grouped(report.streams), "heads compared with the log");
  print_row("index records", grouped(report.index_records), "compared with the log");
  print_row("indexed through", grouped(report.indexed_through));
  print_row("head", grouped(report.head));
  print_row("head hash", report.head_hash);
}

void print_repeated_ids(const VerifyReport& report) {
  if (!report.repeated_id_count) {
    std::cout << "\nThe log is damaged, so its ids were not compared.\n";
    return;
  }
  print_row("repeated ids", grouped(*report.repeated_id_count), "ids that several events have");
  for (const RepeatedId& repeated : report.repeated_ids) {
    std::cout << "    " << repeated.id << "  positions";
    for (const std::uint64_t position : repeated.positions) std::cout << ' ' << position;
    std::cout << '\n';
  }
  if (*report.repeated_id_count > report.repeated_ids.size())
    std::cout << "    and " << grouped(*report.repeated_id_count - report.repeated_ids.size()) << " more\n";
}

void print_report(const std::string& folder, const VerifyReport& report) {
  const bool colour = wants_colour(STDOUT_FILENO);
  if (report.sound()) {
    std::cout << folder << " is " << coloured("sound", Colour::kGreen, colour) << ".\n";
  } else {
    std::cout << folder << " is " << coloured("damaged", Colour::kRed, colour) << ".\n";
    if (!report.findings.empty()) {
      const VerifyFinding& first = report.findings.front();
      std::cout << "  first damage: " << first.place << ": " << first.what << '\n';
    }
    if (report.damage_count > 1) {
      std::cout << "  and " << grouped(report.damage_count - 1) << " more";
      if (report.findings.size() > 1)
        std::cout << " (--json lists the first " << report.findings.size() << ")";
      std::cout << '\n';
    }
    std::cout << "\nWhat was checked:\n";
  }
  print_checked(report);
}

// No damage: the bytes are what was written.
void print_lost(const LostVersions& lost) {
  for (const auto& one : lost) {
    std::cout << "\nVersion " << one.version << " of " << one.type << " (schema " << one.schema.value
              << ") was deleted by version 0.1 of cairn, although " << grouped(one.events)
              << " events are stored with it,\nfrom position " << grouped(one.first.value)
              << " on. Register the same schema again, with its upcaster: it gets its number and id back.\n";
  }
}

int run_verify(const VerifyArguments& arguments) {
  if (const auto ended = continue_with_free_process_id(arguments.data)) return *ended;
  LostVersionSearch lost;
  Result<VerifyReport> report = [&] {
    ProgressBar bar;
    return verify_store(
        arguments.data,
        [&bar](std::string_view stage, std::uint64_t done, std::uint64_t total) {
          bar.update(stage, done, total);
          return true;
        },
        arguments.ids ? VerifyIds::kList : VerifyIds::kIgnore,
        [&lost](const EventView& event) { lost.take(event); });
  }();
  if (!report) {
    const Error& error = report.error();
    if (arguments.json) {
      std::cout << report_text(
                       {{"sound", false}, {"error", to_string(error.code)}, {"message", error.message}})
                << '\n';
    } else {
      std::cerr << "cairn: cannot verify: " << error.message << '\n';
    }
    return kExitNo;
  }
  if (arguments.json) {
    std::cout << report_text(to_json(*report, lost.found())) << '\n';
  } else {
    print_report(arguments.data, *report);
    if (arguments.ids) print_repeated_ids(*report);
    print_lost(lost.found());
  }
  return report->sound() ? kExitOk : kExitNo;
}

}  // namespace

void add_verify_command(CLI::App& app, CommandAction& action) {
  CLI::App& command = *app.add_subcommand("verify", "Check a data folder for damage");
  command.footer(
      "\nReads the whole store: checksums, the hash chain, gapless positions, contiguous versions, and that "
      "the index\n"
      "matches the log. Changes nothing, and may run while a server uses the same folder. With --ids it also "
      "lists the\n"
      "event ids that occur twice, which is no damage: beyond --dedup-days an id may be used again.\n"
      "\nExamples:\n"
      "  cairn verify --data ./cairn-data\n"
      "  cairn verify --data /backup/cairn --json | jq -r .headHash   compare with the original's");
  auto arguments = std::make_shared<VerifyArguments>();
  command.add_option("--data", arguments->data, "The data folder")
      ->type_name("DIR")
      ->envname("CAIRN_DATA")
      ->capture_default_str();
  command.add_flag("--ids", arguments->ids, "List event ids that occur twice");
  command.add_flag("--json", arguments->json, "Print JSON");
  run_after_parsing(command, action, [arguments] { return run_verify(*arguments); });
}

}  // namespace cairn::cli
