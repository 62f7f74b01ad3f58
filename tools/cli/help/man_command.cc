#include "tools/cli/help/man_command.h"

#include <CLI/CLI.hpp>
#include <iostream>

#include "tools/cli/help/man_page.h"
#include "tools/cli/text/exit_code.h"

namespace cairn::cli {

void add_man_command(CLI::App& app, const std::string& version, int& exit_code) {
  CLI::App& command = *app.add_subcommand("man", "Print the manual page of all commands");
  command.footer(
      "\nExamples:\n"
      "  cairn man | man -l -                                              read it\n"
      "  cairn man > ~/.local/share/man/man1/cairn.1                       for man cairn");
  command.callback([&app, version, &exit_code] {
    std::cout << man_page(app, version);
    exit_code = kExitOk;
  });
}

}  // namespace cairn::cli
