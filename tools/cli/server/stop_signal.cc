#include "tools/cli/server/stop_signal.h"

#include <poll.h>
#include <pthread.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdint>

#include "eventstore/base/assert.h"

namespace cairn::cli {

namespace {

sigset_t stopping_signals() {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGTERM);
  sigaddset(&set, SIGINT);
  return set;
}

}  // namespace

StopSignal::StopSignal(Hangup hangup) {
  sigset_t set = stopping_signals();
  if (hangup == Hangup::kHandled) sigaddset(&set, SIGHUP);
  pthread_sigmask(SIG_BLOCK, &set, nullptr);
  signals_ = ::signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
  failure_ = ::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  CAIRN_ASSERT(signals_ >= 0 && failure_ >= 0, errno);
}

StopSignal::~StopSignal() {
  ::close(signals_);
  ::close(failure_);
}

StopReason StopSignal::wait(const std::function<void()>& reload) {
  while (true) {
    pollfd watched[2] = {{signals_, POLLIN, 0}, {failure_, POLLIN, 0}};
    while (::poll(watched, 2, -1) < 0) CAIRN_ASSERT(errno == EINTR, errno);

    if (watched[1].revents != 0) {
      const MutexLock lock(mutex_);
      return {true, failure_text_};
    }
    signalfd_siginfo info{};
    const bool known = ::read(signals_, &info, sizeof info) == static_cast<ssize_t>(sizeof info);
    if (known && info.ssi_signo == SIGHUP) {
      if (reload) reload();
      continue;
    }
    // SIGHUP stays blocked: a reload that comes too late must not end a process that is closing its store.
    const sigset_t set = stopping_signals();
    pthread_sigmask(SIG_UNBLOCK, &set, nullptr);
    return {false, known && info.ssi_signo == SIGINT ? "SIGINT" : "SIGTERM"};
  }
}

void StopSignal::report_fatal(std::string_view reason) {
  {
    const MutexLock lock(mutex_);
    if (failure_text_.empty()) failure_text_ = reason;
  }
  const std::uint64_t one = 1;
  [[maybe_unused]] const ssize_t written = ::write(failure_, &one, sizeof one);
}

}  // namespace cairn::cli
