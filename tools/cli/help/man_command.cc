#include <CLI/CLI.hpp>
#include <iostream>
#include <string>
#include <vector>

#include "tools/cli/help/help_commands.h"
#include "tools/cli/help/man_text.h"
#include "tools/cli/help/option_text.h"
#include "tools/cli/text/exit_code.h"

namespace cairn::cli {

namespace {

std::string option_entry(const CLI::Option& option) {
  return ".TP\n\\fB" + man_escaped(option_title(option)) + "\\fR\n" + man_escaped(option_meaning(option)) +
         "\n";
}

// Positional arguments first, then the options by group, as in --help. Options without a group are hidden,
// and --help is listed once, for the program.
std::string option_entries(const CLI::App& app) {
  std::string entries;
  for (const CLI::Option* option : app.get_options()) {
    if (!option->nonpositional()) entries += option_entry(*option);
  }
  for (const std::string& group : app.get_groups()) {
    if (group.empty()) continue;
    for (const CLI::Option* option : app.get_options()) {
      if (!option->nonpositional() || option->get_group() != group) continue;
      if (option == app.get_help_ptr() && app.get_parent() != nullptr) continue;
      entries += option_entry(*option);
    }
  }
  return entries;
}

std::vector<CLI::App*> documented_commands(CLI::App& app) {
  return app.get_subcommands([](const CLI::App* command) { return !command->get_group().empty(); });
}

void add_man_section(CLI::App& command, const std::string& name, std::string& page) {
  page += ".SS \"" + man_escaped(usage_of(command, name)) + "\"\n";
  page += man_escaped(command.get_description()) + ".\n";
  page += option_entries(command);
  page += man_paragraphs(command.get_footer());
  for (CLI::App* inner : documented_commands(command))
    add_man_section(*inner, name + " " + inner->get_name(), page);
}

// The manual page in roff. Every command, option and help text comes from the parser, so that the page cannot
// differ from --help.
std::string man_page(CLI::App& app, const std::string& version) {
  // Without a date, so that the page depends on the program only.
  std::string page = ".\\\" Made by `cairn man`.\n.TH CAIRN 1 \"\" \"cairn " + man_escaped(version) +
                     "\" \"User Commands\"\n"
                     // No hyphenation and no justification: they would change the words of a command line.
                     ".nr HY 0\n.nh\n.ad l\n"
                     ".SH NAME\ncairn \\- event\\-sourcing store with schemas, upcasters and read models\n"
                     ".SH SYNOPSIS\n.B " +
                     man_escaped(usage_of(app, app.get_name())) + "\n.SH DESCRIPTION\n" +
                     man_escaped(app.get_description()) + "\n" + man_paragraphs(app.get_footer()) +
                     ".SH OPTIONS\n" + option_entries(app) + ".SH COMMANDS\n";
  for (CLI::App* command : documented_commands(app)) {
    add_man_section(*command, app.get_name() + " " + command->get_name(), page);
  }
  return page;
}

}  // namespace

void add_man_command(CLI::App& app, const std::string& version, CommandAction& action) {
  CLI::App& command = *app.add_subcommand("man", "Print the manual page of all commands");
  command.footer(
      "\nExamples:\n"
      "  cairn man | man -l -                                              read it\n"
      "  cairn man > ~/.local/share/man/man1/cairn.1                       for man cairn");
  run_after_parsing(command, action, [&app, version] {
    std::cout << man_page(app, version);
    return kExitOk;
  });
}

}  // namespace cairn::cli
