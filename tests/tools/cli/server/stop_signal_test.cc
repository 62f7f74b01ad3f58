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
