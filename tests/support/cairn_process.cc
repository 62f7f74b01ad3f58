#include "tests/support/cairn_process.h"

#include <fcntl.h>
#include <poll.h>
#include <pty.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>

namespace cairn::test {

namespace {

using SteadyClock = std::chrono::steady_clock;

// Reads what there is; closes the pipe at its end.
void drain(int& pipe, std::string& to) {
  char bytes[4096];
  const ssize_t size = ::read(pipe, bytes, sizeof bytes);
  if (size > 0) {
    to.append(bytes, static_cast<std::size_t>(size));
  } else if (size == 0 || errno != EINTR) {
    ::close(pipe);
    pipe = -1;
  }
}

int milliseconds_until(SteadyClock::time_point deadline) {
  const auto left =
      std::chrono::duration_cast<std::chrono::milliseconds>(deadline - SteadyClock::now()).count();
  return left > 0 ? static_cast<int>(left) : 0;
}

// A file in memory to read the input from: unlike a pipe it takes any amount without a reader.
int input_file(std::string_view input) {
  const int file = ::memfd_create("input", MFD_CLOEXEC);
  if (file < 0) std::abort();
  while (!input.empty()) {
    const ssize_t wrote = ::write(file, input.data(), input.size());
    if (wrote <= 0) std::abort();
    input.remove_prefix(static_cast<std::size_t>(wrote));
  }
  if (::lseek(file, 0, SEEK_SET) != 0) std::abort();
  return file;
}

// A pipe for the output of the process: one end to read here, one for the process to write to.
void open_output(int (&ends)[2], unsigned short terminal_width) {
  if (terminal_width == 0) {
    if (::pipe2(ends, O_CLOEXEC) != 0) std::abort();
    return;
  }
  const winsize size{.ws_row = 24, .ws_col = terminal_width, .ws_xpixel = 0, .ws_ypixel = 0};
  if (::openpty(&ends[0], &ends[1], nullptr, nullptr, &size) != 0) std::abort();
  ::fcntl(ends[0], F_SETFD, FD_CLOEXEC);
  ::fcntl(ends[1], F_SETFD, FD_CLOEXEC);
}

// A pseudo-terminal with `input` typed into it. REQUIRES: the input is short.
int input_terminal(std::string_view input, int& keyboard) {
  int terminal = -1;
  if (::openpty(&keyboard, &terminal, nullptr, nullptr, nullptr) != 0) std::abort();
  ::fcntl(keyboard, F_SETFD, FD_CLOEXEC);
  ::fcntl(terminal, F_SETFD, FD_CLOEXEC);
  if (::write(keyboard, input.data(), input.size()) != static_cast<ssize_t>(input.size())) std::abort();
  return terminal;
}

std::vector<std::string> environment_with(const ProcessOptions& options) {
  std::vector<std::string> environment;
  const auto is_given = [&](std::string_view variable) {
    return std::any_of(options.variables.begin(), options.variables.end(),
                       [&](const auto& given) { return variable.starts_with(given.first + "="); });
  };
  for (char** variable = environ; *variable != nullptr; ++variable) {
    const bool is_own = std::string_view(*variable).starts_with("CAIRN_");
    if (!is_own && !is_given(*variable)) environment.emplace_back(*variable);
  }
  for (const auto& [name, value] : options.variables) environment.push_back(name + "=" + value);
  return environment;
}

// As exec takes it; the words must outlive it.
std::vector<char*> pointers_to(const std::vector<std::string>& words) {
  std::vector<char*> pointers;
  for (const std::string& word : words) pointers.push_back(const_cast<char*>(word.c_str()));
  pointers.push_back(nullptr);
  return pointers;
}

}  // namespace

CairnProcess::CairnProcess(const std::vector<std::string>& arguments, const ProcessOptions& options) {
  int output[2];
  int errors[2];
  open_output(output, options.terminal_width);
  open_output(errors, options.errors_width);
  const int input =
      options.input_is_typed ? input_terminal(options.input, keyboard_) : input_file(options.input);
  std::vector<std::string> command = {std::string(CAIRN_TEST_BIN_DIR) + "/cairn"};
  command.insert(command.end(), arguments.begin(), arguments.end());
  const std::vector<std::string> environment = environment_with(options);
  const std::vector<char*> words = pointers_to(command);
  const std::vector<char*> variables = pointers_to(environment);

  pid_ = ::fork();
  if (pid_ == 0) {
    ::dup2(input, STDIN_FILENO);
    ::dup2(output[1], STDOUT_FILENO);
    ::dup2(errors[1], STDERR_FILENO);
    ::execve(words[0], words.data(), variables.data());
    ::_exit(127);
  }
  ::close(input);
  ::close(output[1]);
  ::close(errors[1]);
  output_pipe_ = output[0];
  error_pipe_ = errors[0];
}

CairnProcess::~CairnProcess() {
  if (pid_ > 0) {
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
  }
  if (output_pipe_ >= 0) ::close(output_pipe_);
  if (error_pipe_ >= 0) ::close(error_pipe_);
  if (keyboard_ >= 0) ::close(keyboard_);
}

bool CairnProcess::read_more(SteadyClock::time_point deadline) {
  if (output_pipe_ < 0 && error_pipe_ < 0) return false;
  pollfd watched[2] = {{output_pipe_, POLLIN, 0}, {error_pipe_, POLLIN, 0}};
  const int ready = ::poll(watched, 2, milliseconds_until(deadline));
  if (ready == 0) return false;
  if (ready < 0) return errno == EINTR;
  if (watched[0].revents != 0) drain(output_pipe_, output_);
  if (watched[1].revents != 0) drain(error_pipe_, errors_);
  return true;
}

std::string CairnProcess::first_line() {
  const auto deadline = SteadyClock::now() + kPatience;
  while (output_.find('\n') == std::string::npos) {
    if (!read_more(deadline)) return "";
  }
  return output_.substr(0, output_.find('\n'));
}

bool CairnProcess::prints(std::string_view text) {
  const auto deadline = SteadyClock::now() + kPatience;
  while (output_.find(text) == std::string::npos) {
    if (!read_more(deadline)) return false;
  }
  return true;
}

bool CairnProcess::complains(std::string_view text) {
  const auto deadline = SteadyClock::now() + kPatience;
  while (errors_.find(text) == std::string::npos) {
    if (!read_more(deadline)) return false;
  }
  return true;
}

void CairnProcess::signal(int number) const { ::kill(pid_, number); }

Finished CairnProcess::finish(std::chrono::milliseconds patience) {
  const auto deadline = SteadyClock::now() + patience;
  while (read_more(deadline)) {
  }
  const bool ended = output_pipe_ < 0 && error_pipe_ < 0;
  if (!ended) ::kill(pid_, SIGKILL);
  int status = 0;
  ::waitpid(pid_, &status, 0);
  pid_ = -1;
  return {ended && WIFEXITED(status) ? WEXITSTATUS(status) : -1, output_, errors_};
}

Finished run_cairn(const std::vector<std::string>& arguments, const ProcessOptions& options) {
  return CairnProcess(arguments, options).finish();
}

}  // namespace cairn::test
