#pragma once

#include <sys/types.h>

#include <chrono>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace cairn::test {

struct Finished {
  int exit_code = -1;  // -1 = it was ended by a signal, or did not end in time
  std::string output;  // stdout
  std::string errors;  // stderr
};

struct ProcessOptions {
  std::string input;                                           // what it finds on stdin
  std::vector<std::pair<std::string, std::string>> variables;  // in its environment
  unsigned short terminal_width = 0;  // when above 0, its stdout is a terminal this wide
  unsigned short errors_width = 0;    // the same for its stderr
  bool input_is_typed = false;        // its stdin is a terminal with the input typed into it
};

// Runs `cairn` as a child process, with pipes for its output. The destructor kills it if it still runs.
// Every wait has a timeout.
class CairnProcess {
 public:
  static constexpr std::chrono::milliseconds kPatience{60'000};

  // Does not pass on the CAIRN_… variables of the test's environment.
  explicit CairnProcess(const std::vector<std::string>& arguments, const ProcessOptions& options = {});
  ~CairnProcess();
  CairnProcess(const CairnProcess&) = delete;
  CairnProcess& operator=(const CairnProcess&) = delete;

  // Reads until stdout has a whole first line and returns it; empty when the process ends without one.
  std::string first_line();

  // Reads until stdout, or stderr, has `text` in it; false when the process ends without it.
  bool prints(std::string_view text);
  bool complains(std::string_view text);

  void signal(int number) const;
  pid_t pid() const { return pid_; }  // -1 = it has ended

  // Reads the rest of its output and waits for its end.
  Finished finish(std::chrono::milliseconds patience = kPatience);

 private:
  // False when both pipes are at their end or the deadline has passed.
  bool read_more(std::chrono::steady_clock::time_point deadline);

  pid_t pid_ = -1;
  int output_pipe_ = -1;
  int error_pipe_ = -1;
  int keyboard_ = -1;  // of input that is typed
  std::string output_;
  std::string errors_;
};

// Runs `cairn` with these arguments to its end.
Finished run_cairn(const std::vector<std::string>& arguments, const ProcessOptions& options = {});

}  // namespace cairn::test
