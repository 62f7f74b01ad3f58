// examples/orders/demo: what it tells with a few events, and that it leaves nothing behind however it ends.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <regex>
#include <string>
#include <thread>
#include <vector>

#include "tests/api/raw_client.h"
#include "tests/support/child_process.h"
#include "tests/support/temp_folder.h"

namespace cairn::test {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class DemoTest : public ::testing::Test {
 protected:
  // Whoever runs the tests may have told them to ignore Ctrl-C, and what is ignored at the start no shell can
  // catch.
  void start(const std::vector<std::string>& more = {}) {
    const std::string path = std::string(CAIRN_TEST_BIN_DIR) + ":" + std::getenv("PATH");
    ChildProcess::Command command{.arguments = {"/usr/bin/env", "--default-signal=INT",
                                                CAIRN_SOURCE_DIR "/examples/orders/demo", "--events", "3000"},
                                  .environment = {{"PATH", path}, {"TMPDIR", folder_.path().string()}}};
    command.arguments.insert(command.arguments.end(), more.begin(), more.end());
    demo_ = std::make_unique<ChildProcess>(command);
  }

  // Reads on until a line begins like this; false when the demo ends without one.
  bool tells(const std::string& beginning) {
    while (const auto line = demo_->read_line()) {
      told_ += *line + '\n';
      if (line->starts_with(beginning)) return true;
    }
    return false;
  }

  Exit finish() {
    while (const auto line = demo_->read_line()) told_ += *line + '\n';
    return demo_->wait();
  }

  // What stands in the first group of the pattern where it was told first.
  std::string told(const std::string& pattern) const {
    std::smatch found;
    if (std::regex_search(told_, found, std::regex(pattern))) return found[1];
    ADD_FAILURE() << "'" << pattern << "' was not told:\n" << told_;
    return "0";
  }

  bool somebody_listens() const {
    return RawClient(static_cast<std::uint16_t>(std::stoul(told("CAIRN_URL=http://127.0.0.1:(\\d+)"))))
        .connected();
  }

  void expect_nothing_left() const {
    EXPECT_FALSE(somebody_listens());
    EXPECT_TRUE(std::filesystem::is_empty(folder_.path()));
  }

  TempFolder folder_;
  std::unique_ptr<ChildProcess> demo_;
  std::string told_;
};

TEST_F(DemoTest, TellsItsStoryAndLeavesNothing) {
  start();
  const Exit exit = finish();
  ASSERT_TRUE(exit.clean()) << describe(exit) << '\n' << told_;

  // The upcaster is refused, with the position of the event that is then shown.
  const std::string position =
      told("First: position (\\d+) \\(order-601, version 1\\): .*cannot read the total");
  EXPECT_THAT(told_, HasSubstr(R"({"position":)" + position + R"(,"stream":"order-601")"));
  EXPECT_THAT(told_, HasSubstr("1-2.lua  1 → 2        installed"));
  EXPECT_THAT(told_, HasSubstr("OrderPlaced     1-3 "));
  // Rows were read all the time, from one generation and then the next.
  EXPECT_GT(std::stoul(told("Meanwhile: (\\d+) orders placed, 0 failed")), 0u);
  EXPECT_GT(std::stoul(told("(\\d+) by\\s+generation\\s+1 ")), 0u);
  EXPECT_GT(std::stoul(told("(\\d+) by\\s+generation\\s+2, 0\\s+failed")), 0u);
  EXPECT_THAT(told_, HasSubstr("customer_totals: generation 2 is live"));
  // Parked, and released.
  EXPECT_THAT(told_, HasSubstr("cannot add USD to euros"));
  EXPECT_THAT(told_, HasSubstr("1 key tried, 0 released"));
  EXPECT_THAT(told_, HasSubstr("1 key tried, 1 released; 2 events applied"));
  EXPECT_THAT(told_, HasSubstr("rows are what the log says"));
  // Then and now.
  EXPECT_THAT(told_, HasSubstr(R"(/status   "placed"  "shipped")"));
  EXPECT_EQ(told(R"re("status": "(\w+)")re"), "shipped");
  EXPECT_THAT(told_, HasSubstr("made, 0 already there"));
  EXPECT_THAT(told_, HasSubstr("data is sound."));
  EXPECT_THAT(told_, HasSubstr("imported 3,000 events"));
  // Where nobody watches there is no colour and no bar.
  EXPECT_EQ(told_.find_first_of("\x1b\r"), std::string::npos);
  expect_nothing_left();
}

class InterruptedDemoTest : public DemoTest, public ::testing::WithParamInterface<int> {};

TEST_P(InterruptedDemoTest, LeavesNothing) {
  start();
  // While people read and write beside it.
  ASSERT_TRUE(tells("$ cairn projection rebuild")) << told_;
  demo_->kill(GetParam());
  const Exit exit = finish();
  EXPECT_EQ(exit.code, 128 + GetParam()) << describe(exit) << '\n' << told_;
  EXPECT_THAT(told_, Not(HasSubstr("An event that a script cannot take")));
  expect_nothing_left();
}

INSTANTIATE_TEST_SUITE_P(BySignal, InterruptedDemoTest, ::testing::Values(SIGINT, SIGTERM, SIGHUP));

TEST_F(DemoTest, KeepsTheServerWhenAsked) {
  start({"--keep"});
  const Exit exit = finish();
  ASSERT_TRUE(exit.clean()) << describe(exit) << '\n' << told_;
  EXPECT_TRUE(somebody_listens());
  const std::string stop = told("Stop it with:  (.*)");
  EXPECT_EQ(std::system(stop.c_str()), 0) << stop;
  while (somebody_listens()) std::this_thread::yield();
  expect_nothing_left();
}

TEST_F(DemoTest, WantsANumberOfEvents) {
  for (const char* events : {"none", "0", "999", "0123456", "10000001", ""}) {
    start({"--events", events});
    EXPECT_EQ(finish().code, 2) << events;
  }
  EXPECT_TRUE(std::filesystem::is_empty(folder_.path()));
}

}  // namespace
}  // namespace cairn::test
