#include "tools/cli/cli.h"

#include <poll.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <iostream>
#include <vector>

#include "eventstore/base/assert.h"
#include "tools/cli/command_tree.h"
#include "tools/cli/config/configuration.h"
#include "tools/cli/help/completion_names.h"
#include "tools/cli/help/help_format.h"
#include "tools/cli/help/unknown_command.h"
#include "tools/cli/help/usage_text.h"
#include "tools/cli/server/failure_report.h"
#include "tools/cli/text/exit_code.h"

namespace cairn::cli {

namespace {

bool has_commands(const CLI::App& command) {
  return !command.get_subcommands([](const CLI::App*) { return true; }).empty();
}

// Reports the parser's error, or prints help for `cairn append help` and for a group without a command.
int answer_refused(CLI::App& app, const CLI::ParseError& error, const std::vector<std::string>& words) {
  const ReachedCommand reached = reached_command(app);
  const std::size_t depth = static_cast<std::size_t>(
      std::count(reached.path.begin(), reached.path.end(), ' '));  // The number of words that are commands.
  if (words.size() > depth && words[depth] == "help") {            // cairn append help
    std::cout << help_text(*reached.command, reached.path);
    return kExitOk;
  }
  if (const std::string unknown = unknown_command_text(app, words); !unknown.empty()) {
    return report_usage(unknown);
  }
  if (has_commands(*reached.command) && words.size() == depth) {  // cairn, cairn schema
    std::cerr << help_text(*reached.command, reached.path);
    return kExitUsage;
  }
  return report_usage(usage_text(app, error));
}

int report_problems(const std::vector<std::string>& problems) {
  for (const std::string& problem : problems) std::cerr << "cairn: " << problem << '\n';
  return kExitUsage;
}

int parse_and_run(int argc, char** argv, const std::string& version) {
  CommandAction action;
  CLI::App app;
  add_commands(app, version, action);
  const std::vector<std::string> words(argv + std::min(argc, 1), argv + argc);
  Configuration configuration;
  try {
    configuration = parse_configured(app, words);
  } catch (const CLI::Success& success) {  // --help and --version
    app.exit(success);
    return kExitOk;
  } catch (const CLI::ParseError& error) {
    return answer_refused(app, error, words);
  }
  if (!configuration.problems.empty()) return report_problems(configuration.problems);
  CAIRN_ASSERT(action != nullptr);  // The program requires a command.
  return action();
}

// A closed pipe, as `| head` leaves it, is not a failure; a full disk is one.
bool output_was_lost() {
  if (std::cout.flush() && std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return false;
  pollfd output{STDOUT_FILENO, 0, 0};
  const bool has_left = ::poll(&output, 1, 0) == 1 && (output.revents & POLLERR) != 0;
  return !has_left;
}

}  // namespace

int run(int argc, char** argv, const std::string& version) {
  int exit_code = kExitNo;
  try {
    // Not among the commands: only the scripts of `cairn completion` call it.
    if (argc >= 3 && argv[1] == kCompleteNames) return print_names(argv[2], argc > 3 ? argv[3] : "");
    exit_code = parse_and_run(argc, argv, version);
  } catch (const std::filesystem::filesystem_error& error) {
    // As other system calls that fail are reported: the file, and why.
    const bool is_foreign = error.code() == std::errc::permission_denied;
    std::cerr << "cairn: " << error.path1().string() << ": " << error.code().message()
              << (is_foreign ? "; run the command as the user that the folder belongs to" : "") << '\n';
    return kExitNo;
  } catch (const std::exception& error) {
    std::cerr << "cairn: unexpected failure: " << error.what() << '\n';
    return kExitNo;
  }
  if (exit_code == kExitOk && output_was_lost()) {
    std::cerr << "cairn: the output could not be written; is the disk full?\n";
    return kExitNo;
  }
  return exit_code;
}

}  // namespace cairn::cli
