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
  int exit_code = 0;    // what it should end with: 0, or what its comment says as `exit code 1`
  std::string comment;  // behind its last line; of one with a here-document, behind its first
};

struct SampleCommands {
  std::vector<SampleCommand> commands;
  std::optional<SampleCommand> unfinished;  // what stands at the end and is no whole command
};

// The commands of a block. `is_whole` says whether a text is a whole command rather than the beginning of
// one.
SampleCommands commands_in(const Block& block, const std::function<bool(const std::string&)>& is_whole);

}  // namespace cairn::test
