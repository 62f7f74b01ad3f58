#include "tools/cli/server/stop_signal.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>
#include <thread>

namespace cairn::cli {
namespace {

TEST(StopSignalTest, ASignalIsTheStopReason) {
  for (const int number : {SIGTERM, SIGINT}) {
    StopSignal stop;
    ::kill(::getpid(), number);
    const StopReason reason = stop.wait();
    EXPECT_FALSE(reason.fatal);
    EXPECT_EQ(reason.text, number == SIGINT ? "SIGINT" : "SIGTERM");
  }
}

TEST(StopSignalTest, ForEachHangupItReloadsAndGoesOnWaiting) {
  StopSignal stop(StopSignal::Hangup::kHandled);
  ::kill(::getpid(), SIGHUP);  // Before the wait: it stays pending.
  int reloads = 0;
  const StopReason reason = stop.wait([&reloads] {
    if (++reloads < 3) {
      ::kill(::getpid(), SIGHUP);
    } else {
      ::kill(::getpid(), SIGTERM);
    }
  });
  EXPECT_EQ(reloads, 3);
  EXPECT_FALSE(reason.fatal);
  EXPECT_EQ(reason.text, "SIGTERM");
  ::kill(::getpid(), SIGHUP);  // One that comes too late does not end the process.
  std::signal(SIGHUP, SIG_IGN);
  sigset_t hangup;
  sigemptyset(&hangup);
  sigaddset(&hangup, SIGHUP);
  pthread_sigmask(SIG_UNBLOCK, &hangup, nullptr);
  std::signal(SIGHUP, SIG_DFL);
}

TEST(StopSignalTest, FirstReportedFailureIsTheReason) {
  StopSignal stop;
  std::thread reporting([&stop] {
    stop.report_fatal("a commit failed");
    stop.report_fatal("another one, too");
  });
  const StopReason reason = stop.wait();
  reporting.join();
  EXPECT_TRUE(reason.fatal);
  EXPECT_EQ(reason.text, "a commit failed");
}

}  // namespace
}  // namespace cairn::cli
