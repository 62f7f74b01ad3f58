// examples/orders/demo: its output with a few events, and that no process or file is left when it ends.

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
  // SIGINT may be ignored in the test's own process, and a shell cannot trap a signal that was ignored when
  // it started: env restores the default.
  void start(const std::vector<std::string>& more = {}) {
    const std::string path = std::string(CAIRN_TEST_BIN_DIR) + ":" + std::getenv("PATH");
    ChildProcess::Command command{.arguments = {"/usr/bin/env", "--default-signal=INT",
                                                CAIRN_SOURCE_DIR "/examples/orders/demo", "--events", "3000"},
                                  .environment = {{"PATH", path}, {"TMPDIR", folder_.path().string()}}};
    command.arguments.insert(command.arguments.end(), more.begin(), more.end());
    demo_ = std::make_unique<ChildProcess>(command);
  }

  // Reads lines until one begins like this; false when the demo ends without one.
  bool read_until(const std::string& beginning) {
    while (const auto line = demo_->read_line()) {
      output_ += *line + '\n';
      if (line->starts_with(beginning)) return true;
    }
    return false;
  }

  Exit finish() {
    while (const auto line = demo_->read_line()) output_ += *line + '\n';
    return demo_->wait();
  }

  // The first group of the pattern's first match in the output.
  std::string first_match(const std::string& pattern) const {
    std::smatch found;
    if (std::regex_search(output_, found, std::regex(pattern))) return found[1];
    ADD_FAILURE() << "'" << pattern << "' is not in the output:\n" << output_;
    return "0";
  }

  bool server_accepts_connections() const {
    return RawClient(static_cast<std::uint16_t>(std::stoul(first_match("CAIRN_URL=http://127.0.0.1:(\\d+)"))))
        .connected();
  }

  void expect_no_server_and_no_files() const {
    EXPECT_FALSE(server_accepts_connections());
    EXPECT_TRUE(std::filesystem::is_empty(folder_.path()));
  }

  TempFolder folder_;
  std::unique_ptr<ChildProcess> demo_;
  std::string output_;
};

TEST_F(DemoTest, RunsToTheEndAndLeavesNothing) {
  start();
  const Exit exit = finish();
  ASSERT_TRUE(exit.clean()) << describe(exit) << '\n' << output_;

  // The upcaster is refused, with the position of the event that is then shown.
  const std::string position =
      first_match("First: position (\\d+) \\(order-601, version 1\\): .*cannot read the total");
  EXPECT_THAT(output_, HasSubstr(R"({"position":)" + position + R"(,"stream":"order-601")"));
  EXPECT_THAT(output_, HasSubstr("1-2.lua  1 → 2        installed"));
  EXPECT_THAT(output_, HasSubstr("OrderPlaced     1-3 "));
  // Queries were answered during the rebuild, by generation 1 and then by generation 2.
  EXPECT_GT(std::stoul(first_match("Meanwhile: ([\\d,]+) orders placed, 0 failed")), 0u);
  EXPECT_GT(std::stoul(first_match("([\\d,]+) by generation 1 ")), 0u);
  EXPECT_GT(std::stoul(first_match("([\\d,]+) by generation 2, 0 failed")), 0u);
  EXPECT_THAT(output_, HasSubstr("customer_totals: generation 2 is live"));
  // An event is parked, and released by a new script.
  EXPECT_THAT(output_, HasSubstr("cannot add USD to euros"));
  EXPECT_THAT(output_, HasSubstr("1 key tried, 0 released"));
  EXPECT_THAT(output_, HasSubstr("1 key tried, 1 released; 2 events applied"));
  EXPECT_THAT(output_, HasSubstr("rows are what the log says"));
  // States at two times.
  EXPECT_THAT(output_, HasSubstr(R"(/status   "placed"  "shipped")"));
  EXPECT_EQ(first_match(R"re("status": "(\w+)")re"), "shipped");
  EXPECT_THAT(output_, HasSubstr("made, 0 already there"));
  EXPECT_THAT(output_, HasSubstr("data is sound."));
  EXPECT_THAT(output_, HasSubstr("imported 3,000 events"));
  // Without a terminal there is no colour and no progress bar.
  EXPECT_EQ(output_.find_first_of("\x1b\r"), std::string::npos);
  expect_no_server_and_no_files();
}

class InterruptedDemoTest : public DemoTest, public ::testing::WithParamInterface<int> {};

TEST_P(InterruptedDemoTest, LeavesNothing) {
  start();
  // The background clients run at this time.
  ASSERT_TRUE(read_until("$ cairn projection rebuild")) << output_;
  demo_->kill(GetParam());
  const Exit exit = finish();
  EXPECT_EQ(exit.code, 128 + GetParam()) << describe(exit) << '\n' << output_;
  EXPECT_THAT(output_, Not(HasSubstr("An event that a script cannot apply")));
  expect_no_server_and_no_files();
}

INSTANTIATE_TEST_SUITE_P(BySignal, InterruptedDemoTest, ::testing::Values(SIGINT, SIGTERM, SIGHUP));

TEST_F(DemoTest, KeepsTheServerWhenAsked) {
  start({"--keep"});
  const Exit exit = finish();
  ASSERT_TRUE(exit.clean()) << describe(exit) << '\n' << output_;
  EXPECT_TRUE(server_accepts_connections());
  const std::string stop = first_match("Stop it with:  (.*)");
  EXPECT_EQ(std::system(stop.c_str()), 0) << stop;
  while (server_accepts_connections()) std::this_thread::yield();
  expect_no_server_and_no_files();
}

TEST_F(DemoTest, RefusesAWrongNumberOfEvents) {
  for (const char* events : {"none", "0", "999", "0123456", "10000001", ""}) {
    start({"--events", events});
    EXPECT_EQ(finish().code, 2) << events;
  }
  EXPECT_TRUE(std::filesystem::is_empty(folder_.path()));
}

}  // namespace
}  // namespace cairn::test
