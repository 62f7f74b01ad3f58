#include "tools/cli/serve/process_id.h"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <initializer_list>

#include "eventstore/base/file.h"
#include "tools/cli/text/exit_code.h"

namespace cairn::cli {

namespace {

// Ids are given out in order, so a few attempts pass over those of any number of containers that matters.
constexpr int kAttemptsMax = 64;

// Whether another process is registered under this id among the readers of the log: LMDB locks a byte of
// lock.mdb for each of them.
bool is_taken(const std::filesystem::path& data, pid_t id) {
  const auto file = File::open(data / "log" / "lock.mdb", O_RDWR);
  if (!file.ok()) return false;
  struct flock byte {};
  byte.l_type = F_WRLCK;
  byte.l_whence = SEEK_SET;
  byte.l_start = id;
  byte.l_len = 1;
  return ::fcntl(file->descriptor(), F_GETLK, &byte) == 0 && byte.l_type != F_UNLCK;
}

sigset_t forwarded_signals() {
  sigset_t set;
  sigemptyset(&set);
  for (const int signal : {SIGTERM, SIGINT, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2, SIGCHLD})
    sigaddset(&set, signal);
  return set;
}

// Waits for the child, and meanwhile passes signals on. As process 1 it also reaps orphans.
int wait_for(pid_t child) {
  const sigset_t signals = forwarded_signals();
  for (;;) {
    const int signal = ::sigwaitinfo(&signals, nullptr);
    if (signal > 0 && signal != SIGCHLD) ::kill(child, signal);
    int status = 0;
    for (pid_t ended = 0; (ended = ::waitpid(-1, &status, WNOHANG)) > 0;) {
      if (ended != child) continue;
      return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    }
  }
}

}  // namespace

std::optional<int> continue_with_free_process_id(const std::filesystem::path& data) {
  if (!is_taken(data, ::getpid())) return std::nullopt;
  const sigset_t signals = forwarded_signals();
  sigset_t before;
  ::sigprocmask(SIG_BLOCK, &signals, &before);
  for (int attempt = 0; attempt < kAttemptsMax; ++attempt) {
    int free_id[2];
    if (::pipe2(free_id, O_CLOEXEC) != 0) break;
    const pid_t child = ::fork();
    if (child == 0) {
      // The terminal's Ctrl-C goes to a whole process group; the child gets it from its parent, once.
      ::setpgid(0, 0);
      ::prctl(PR_SET_PDEATHSIG, SIGTERM);
      if (is_taken(data, ::getpid()) || ::write(free_id[1], "y", 1) != 1) ::_exit(kExitNo);
      ::close(free_id[0]);
      ::close(free_id[1]);
      ::sigprocmask(SIG_SETMASK, &before, nullptr);
      return std::nullopt;
    }
    ::close(free_id[1]);
    char answer = 'n';
    while (child > 0 && ::read(free_id[0], &answer, 1) < 0 && errno == EINTR) {
    }
    ::close(free_id[0]);
    if (child > 0 && answer == 'y') return wait_for(child);
    if (child > 0) ::waitpid(child, nullptr, 0);
  }
  ::sigprocmask(SIG_SETMASK, &before, nullptr);
  return std::nullopt;  // opening the store says what is wrong
}

}  // namespace cairn::cli
