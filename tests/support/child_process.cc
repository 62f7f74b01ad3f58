#include "tests/support/child_process.h"

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace cairn::test {

std::string describe(const Exit& exit) {
  return exit.signal != 0 ? std::string("ended by signal ") + ::strsignal(exit.signal)
                          : "exit code " + std::to_string(exit.code);
}

std::filesystem::path test_program(const std::string& name) {
  return std::filesystem::path(CAIRN_TEST_BIN_DIR) / name;
}

std::filesystem::path test_preload(const std::string& name) {
  const auto plain = test_program(name + ".so");
  return std::filesystem::exists(plain) ? plain : test_program("lib" + name + ".so");
}

void preload(ChildProcess::Command& command, const std::filesystem::path& library) {
  for (auto& [name, value] : command.environment) {
    if (name != "LD_PRELOAD") continue;
    value += ":" + library.string();
    return;
  }
  command.environment.emplace_back("LD_PRELOAD", library.string());
  const char* options = std::getenv("ASAN_OPTIONS");
  command.environment.emplace_back(
      "ASAN_OPTIONS", std::string(options != nullptr ? options : "") + ":verify_asan_link_order=0");
}

ChildProcess::ChildProcess(const Command& command) {
  int in[2], out[2];
  if (::pipe2(in, O_CLOEXEC) != 0 || ::pipe2(out, O_CLOEXEC) != 0) {
    std::perror("pipe2");
    std::abort();
  }
  // Everything that allocates is made before the fork.
  std::vector<char*> arguments;
  for (const std::string& argument : command.arguments)
    arguments.push_back(const_cast<char*>(argument.c_str()));
  arguments.push_back(nullptr);
  std::vector<std::string> texts;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    bool replaced = false;
    for (const auto& [name, value] : command.environment)
      replaced |= std::string(*entry).starts_with(name + "=");
    if (!replaced) texts.emplace_back(*entry);
  }
  for (const auto& [name, value] : command.environment) texts.push_back(name + "=" + value);
  std::vector<char*> environment;
  for (std::string& text : texts) environment.push_back(text.data());
  environment.push_back(nullptr);

  pid_ = ::fork();
  if (pid_ == 0) {
    ::dup2(in[0], STDIN_FILENO);
    ::dup2(out[1], STDOUT_FILENO);
    ::execve(arguments[0], arguments.data(), environment.data());
    ::_exit(127);
  }
  ::close(in[0]);
  ::close(out[1]);
  input_ = in[1];
  output_ = out[0];
  std::signal(SIGPIPE, SIG_IGN);
}

ChildProcess::~ChildProcess() {
  close_input();
  if (!exit_) {
    ::kill(pid_, SIGKILL);
    wait();
  }
  ::close(output_);
}

void ChildProcess::write_line(const std::string& line) {
  const std::string text = line + "\n";
  std::size_t done = 0;
  while (done < text.size()) {
    const ssize_t count = ::write(input_, text.data() + done, text.size() - done);
    if (count <= 0 && errno != EINTR) return;
    if (count > 0) done += static_cast<std::size_t>(count);
  }
}

void ChildProcess::close_input() {
  if (input_ >= 0) ::close(input_);
  input_ = -1;
}

std::optional<std::string> ChildProcess::read_line() {
  for (;;) {
    const std::size_t end = buffer_.find('\n');
    if (end != std::string::npos) {
      std::string line = buffer_.substr(0, end);
      buffer_.erase(0, end + 1);
      return line;
    }
    char bytes[65536];
    const ssize_t count = ::read(output_, bytes, sizeof bytes);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return std::nullopt;
    buffer_.append(bytes, static_cast<std::size_t>(count));
  }
}

std::string ChildProcess::ask(const std::string& line) {
  write_line(line);
  return read_line().value_or("gone");
}

void ChildProcess::kill(int signal) {
  if (!exit_) ::kill(pid_, signal);
}

Exit ChildProcess::wait() {
  if (exit_) return *exit_;
  int status = 0;
  while (::waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
  }
  Exit exit;
  if (WIFSIGNALED(status)) exit.signal = WTERMSIG(status);
  if (WIFEXITED(status)) exit.code = WEXITSTATUS(status);
  exit_ = exit;
  return exit;
}

}  // namespace cairn::test
