#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <sys/types.h>

namespace cairn::test {

// How a process ended.
struct Exit {
  int code = 0;  // when signal is 0
  int signal = 0;
  bool clean() const { return signal == 0 && code == 0; }
};
std::string describe(const Exit& exit);

// A helper program of the tests, by its name.
std::filesystem::path test_program(const std::string& name);
// A library for LD_PRELOAD, by its name.
std::filesystem::path test_preload(const std::string& name);

// Runs a program as a child process and exchanges lines with it. The destructor kills it, if it still runs,
// and waits for it.
class ChildProcess {
 public:
  struct Command {
    std::vector<std::string> arguments;                            // the program first
    std::vector<std::pair<std::string, std::string>> environment;  // added to the test's own
  };
  explicit ChildProcess(const Command& command);
  ~ChildProcess();
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;

  // Writes a line to its input; lost when the child has ended.
  void write_line(const std::string& line);
  void close_input();

  // The next line of its output; nullopt at the end of it.
  std::optional<std::string> read_line();
  // Writes a line and reads one; "gone" when the child ended instead.
  std::string ask(const std::string& line);

  void kill(int signal);
  // Waits for its end. Later calls return the same.
  Exit wait();

  pid_t pid() const { return pid_; }

 private:
  pid_t pid_ = -1;
  int input_ = -1;
  int output_ = -1;
  std::string buffer_;
  std::optional<Exit> exit_;
};

// Adds the variables that preload `library` into a child, also into one built with a sanitizer. Of several
// libraries the first one gets a call first.
void preload(ChildProcess::Command& command, const std::filesystem::path& library);

}  // namespace cairn::test
