#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "eventstore/base/nearest_word.h"

namespace CLI {
class App;
}

namespace cairn::cli {

using cairn::nearest_word;

// The message for the first word that should be a command and is not one, with the nearest command. "" when
// all commands are known.
std::string unknown_command_text(CLI::App& app, const std::vector<std::string>& words);

}  // namespace cairn::cli
