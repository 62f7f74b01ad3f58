#include "tools/cli/help/completion_command.h"

#include <CLI/CLI.hpp>
#include <iostream>
#include <memory>
#include <string>

#include "tools/cli/help/completion_script.h"
#include "tools/cli/help/completion_words.h"
#include "tools/cli/text/exit_code.h"

namespace cairn::cli {

void add_completion_command(CLI::App& app, int& exit_code) {
  CLI::App& command =
      *app.add_subcommand("completion", "Print a script that completes commands in your shell");
  command.footer(
      "\nExamples:\n"
      "  source <(cairn completion bash)                                   for this shell\n"
      "  cairn completion bash > ~/.local/share/bash-completion/completions/cairn\n"
      "  cairn completion zsh > \"${fpath[1]}/_cairn\"");
  auto shell = std::make_shared<std::string>();
  command.add_option("shell", *shell, "bash or zsh")
      ->type_name("SHELL")
      ->required()
      ->check(CLI::IsMember({"bash", "zsh"}));
  command.callback([&app, &exit_code, shell] {
    const auto commands = completion_words(app);
    std::cout << (*shell == "bash" ? bash_completion(commands) : zsh_completion(commands));
    exit_code = kExitOk;
  });
}

}  // namespace cairn::cli
