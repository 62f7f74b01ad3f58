#pragma once

#include <string>
#include <vector>

#include "tools/cli/help/completion_words.h"

namespace cairn::cli {

// Scripts that teach a shell to complete the program's commands, options and values.
std::string bash_completion(const std::vector<CommandWords>& commands);
std::string zsh_completion(const std::vector<CommandWords>& commands);

}  // namespace cairn::cli
