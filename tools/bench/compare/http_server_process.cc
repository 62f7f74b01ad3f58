#include "tools/bench/compare/http_server_process.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <string>

namespace cairn::bench {

Result<HttpServerProcess> HttpServerProcess::start(const std::filesystem::path& program,
                                                   const std::filesystem::path& folder,
                                                   const std::filesystem::path& tokens) {
  int lines[2];
  if (::pipe2(lines, O_CLOEXEC) != 0) return system_error("pipe", errno);
  const std::string path = program.string();
  const std::string data = folder.string();
  const std::string token_file = tokens.string();
  const pid_t pid = ::fork();
  if (pid < 0) return system_error("fork", errno);
  if (pid == 0) {
    ::dup2(lines[1], STDOUT_FILENO);
    const int nowhere = ::open("/dev/null", O_WRONLY | O_CLOEXEC);
    ::dup2(nowhere, STDERR_FILENO);
    ::execl(path.c_str(), path.c_str(), "serve", "--data", data.c_str(), "--listen", "127.0.0.1:0",
            "--schemas", "optional", token_file.empty() ? nullptr : "--tokens", token_file.c_str(),
            static_cast<char*>(nullptr));
    ::_exit(127);
  }
  ::close(lines[1]);
  // Its first line has the address, and is printed when it serves.
  std::string line;
  char c = 0;
  while (::read(lines[0], &c, 1) == 1 && c != '\n') line += c;
  ::close(lines[0]);
  const int port = std::atoi(line.substr(line.rfind(':') + 1).c_str());
  HttpServerProcess server(pid, static_cast<std::uint16_t>(port));
  if (port <= 0) return make_error(Errc::kFailedPrecondition, path + " did not begin to serve");
  return server;
}

HttpServerProcess::~HttpServerProcess() {
  if (pid_ <= 0) return;
  ::kill(pid_, SIGTERM);
  ::waitpid(pid_, nullptr, 0);
}

}  // namespace cairn::bench
