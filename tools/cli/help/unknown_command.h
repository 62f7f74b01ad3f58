#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace CLI {
class App;
}

namespace cairn::cli {

// The one of `words` that somebody who wrote `word` most likely meant, or "" when none is near.
std::string nearest_word(std::string_view word, const std::vector<std::string>& words);

// Looks for the word behind `cairn` that should be a command and is none, and says so, with the nearest one
// that there is. "" when all commands are known.
std::string unknown_command_text(CLI::App& app, const std::vector<std::string>& words);

}  // namespace cairn::cli
