#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "tests/docs/markdown.h"

namespace cairn::test {

// One command of a block, which may have several lines.
struct SampleCommand {
  std::string text;
  int line = 0;         // of its first line in the document
  int exit_code = 0;    // expected: 0, or the one in its comment, as in `exit code 1`
  std::string comment;  // after its last line; with a here-document, after its first
};

struct SampleCommands {
  std::vector<SampleCommand> commands;
  std::optional<SampleCommand> unfinished;  // an incomplete command at the end
};

// The commands of a block. `is_whole` says whether a text is a whole command rather than the beginning of
// one.
SampleCommands commands_in(const Block& block, const std::function<bool(const std::string&)>& is_whole);

}  // namespace cairn::test
