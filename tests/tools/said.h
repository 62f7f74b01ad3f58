#pragma once

#include <string>
#include <utility>
#include <vector>

#include "tests/support/child_process.h"

namespace cairn::test {

// What a program printed, on both outputs, and how it ended.
struct Said {
  Exit exit;
  std::string text;
};

// Runs a program, found as a shell of root finds it, to its end.
inline Said said_by(const std::vector<std::string>& words,
                    std::vector<std::pair<std::string, std::string>> variables = {}) {
  std::vector<std::string> arguments = {"/bin/sh", "-c", "\"$@\" 2>&1; code=$?; echo; exit $code", "sh"};
  arguments.insert(arguments.end(), words.begin(), words.end());
  variables.emplace_back("LC_ALL", "C.UTF-8");
  variables.emplace_back("PATH", "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin");
  ChildProcess process({arguments, variables});
  process.close_input();
  Said said;
  while (const auto line = process.read_line()) said.text += *line + "\n";
  if (!said.text.empty())
    said.text.pop_back();  // the one that the shell added, lest a last line without one be lost
  said.exit = process.wait();
  return said;
}

// Whether there is such a program.
inline bool is_installed(const std::string& program) {
  return said_by({"sh", "-c", "command -v " + program}).exit.clean();
}

}  // namespace cairn::test
