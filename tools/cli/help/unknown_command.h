#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace CLI {
class App;
}

namespace cairn::cli {

// The one of `words` that is nearest to `word` by edit distance, or "" when none is near.
std::string nearest_word(std::string_view word, const std::vector<std::string>& words);

// The message for the first word that should be a command and is not one, with the nearest command. "" when
// all commands are known.
std::string unknown_command_text(CLI::App& app, const std::vector<std::string>& words);

}  // namespace cairn::cli
