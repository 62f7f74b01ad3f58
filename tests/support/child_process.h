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

// A program run beside the test, spoken to in lines. Killed, if it still runs, and waited for at the end.
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

  // A line to its input; lost when the child is gone.
  void write_line(const std::string& line);
  void close_input();

  // The next line of its output; nullopt when there will be none.
  std::optional<std::string> read_line();
  // Writes a line and reads one; "gone" when the child ended instead.
  std::string ask(const std::string& line);

  void kill(int signal);
  // Waits for its end. The same answer when asked again.
  Exit wait();

  pid_t pid() const { return pid_; }

 private:
  pid_t pid_ = -1;
  int input_ = -1;
  int output_ = -1;
  std::string buffer_;
  std::optional<Exit> exit_;
};

// Adds what makes `library` load first into a child, also into one built with a sanitizer.
void preload(ChildProcess::Command& command, const std::filesystem::path& library);

}  // namespace cairn::test
