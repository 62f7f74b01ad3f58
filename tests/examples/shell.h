#pragma once

#include <sys/wait.h>

#include <array>
#include <cstdio>
#include <string>

namespace cairn::test {

struct ShellOutcome {
  int status = -1;     // the exit code; -1 = it was ended by a signal
  std::string output;  // stdout and stderr
};

// Has a shell run what an example's reader would type, in a folder, with `cairn` in the path. It has two
// minutes. REQUIRES: the words come from the tests and the examples; nothing is quoted here.
inline ShellOutcome run_shell(const std::string& folder, const std::string& url, const std::string& line) {
  const std::string command = "cd '" + folder +
                              "' && env -u CAIRN_TOKEN PATH='" CAIRN_TEST_BIN_DIR "':\"$PATH\" CAIRN_URL='" +
                              url + "' timeout 120 " + line + " 2>&1";
  ShellOutcome done;
  FILE* pipe = ::popen(command.c_str(), "r");
  if (pipe == nullptr) return done;
  std::array<char, 4096> bytes{};
  while (const std::size_t size = std::fread(bytes.data(), 1, bytes.size(), pipe)) {
    done.output.append(bytes.data(), size);
  }
  const int status = ::pclose(pipe);
  if (WIFEXITED(status)) done.status = WEXITSTATUS(status);
  return done;
}

}  // namespace cairn::test
