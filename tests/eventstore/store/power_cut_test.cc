// Power cuts. A file system in a file loses its power while eight writers and a reader use a store on it;
// after its journal was replayed, everything that was acknowledged or shown is there.

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <string>

#include <unistd.h>

#include "tests/support/child_process.h"
#include "tests/support/crash_plan.h"
#include "tests/support/random.h"
#include "tests/support/scale.h"
#include "tests/support/small_disk.h"
#include "tests/support/store_fixture.h"

namespace cairn::test {
namespace {

class PowerCutTest : public ::testing::TestWithParam<SmallDisk::Kind> {
 protected:
  void SetUp() override {
    if (!disk_.missing().empty()) GTEST_SKIP() << disk_.missing();
  }

  std::filesystem::path folder() const { return disk_.path() / "data"; }

  // Starts the writers and cuts the power `spin` after the parent has read `acks` acknowledgements.
  void run_and_cut(std::uint32_t cycle, std::size_t acks, std::chrono::microseconds spin, bool syncs = true) {
    ChildProcess::Command command{
        {test_program("append_child").string(), folder().string(), std::to_string(cycle)}, {}};
    if (!syncs) preload(command, test_preload("no_sync_preload"));
    ChildProcess child(command);
    const std::size_t target = history_.acknowledged() + acks;
    while (history_.acknowledged() < target) {
      auto line = child.read_line();
      ASSERT_TRUE(line.has_value()) << "the writers ended by themselves: " << describe(child.wait());
      history_.hear(*line);
    }
    const auto end = std::chrono::steady_clock::now() + spin;
    while (std::chrono::steady_clock::now() < end) {
    }
    history_.expect_failures();
    ASSERT_TRUE(disk_.cut_power()) << std::strerror(errno);
    child.kill(SIGKILL);
    while (auto line = child.read_line()) history_.hear(*line);
    const Exit exit = child.wait();
    // A file system that is shut down reads no page any more: the kernel ends a process that needs one of a mapped
    // file, which is not in memory, with SIGBUS.
    EXPECT_TRUE(exit.signal == 0 || exit.signal == SIGKILL || exit.signal == SIGBUS)
        << "a failing disk is no crash: " << describe(exit);
    ASSERT_TRUE(disk_.restore_power());
  }

  // "" or what is missing or wrong in the store after the power is back.
  std::string loss() {
    {
      auto store = EventStore::open(folder(), small_store());
      if (!store.ok()) return "the store does not open: " + store.error().message;
      auto scanned = scan_all(**store);
      if (!scanned.ok()) return "the log cannot be read: " + scanned.error().message;
      std::string broken = history_.broken_promise(*scanned);
      if (!broken.empty()) return broken;
      // Retried, as a client would.
      for (const CrashOp& op : history_.unanswered()) history_.record(op, (*store)->append(op.request()));
      if (!history_.unanswered().empty()) return "an append cannot be repeated";
      scanned = scan_all(**store);
      if (!scanned.ok()) return "the log cannot be read: " + scanned.error().message;
      broken = history_.broken_promise(*scanned);
      if (!broken.empty()) return "after retries: " + broken;
    }
    auto report = verify_store(folder());
    if (!report.ok()) return "verify fails: " + report.error().message;
    return report->sound() ? "" : report->findings.at(0).place + ": " + report->findings.at(0).what;
  }

  void begin_with_no_store() {
    std::filesystem::remove_all(folder());
    ::sync();  // else the cut brings the old store back
    history_ = CrashHistory();
  }

  SmallDisk disk_{GetParam(), SmallDisk::kXfsBytesMin};
  CrashHistory history_;
};

INSTANTIATE_TEST_SUITE_P(, PowerCutTest,
                         ::testing::Values(SmallDisk::Kind::kExt4Journal, SmallDisk::Kind::kXfs),
                         [](const auto& chosen) {
                           return chosen.param == SmallDisk::Kind::kXfs ? "Xfs" : "Ext4";
                         });

TEST_P(PowerCutTest, UnderLoadNothingAcknowledgedOrShownIsLost) {
  Random random("PowerCutTest");
  const std::size_t cycles = rounds(6, 150);
  for (std::uint32_t cycle = 0; cycle < cycles; ++cycle) {
    SCOPED_TRACE("cycle " + std::to_string(cycle) + " of seed " + std::to_string(random.seed()));
    // Some cuts hit the recovery from the one before, most of them commits, flushes and settling.
    const std::size_t acks = random.one_in(5) ? 0 : random.between(1, 600);
    run_and_cut(cycle, acks, std::chrono::microseconds(random.below(acks == 0 ? 30'000 : 4'000)));
    if (HasFatalFailure()) return;
    ASSERT_EQ(loss(), "");
  }
  // One cut, as with a sanitizer, may come before the first answer.
  if (cycles > 1) {
    EXPECT_GT(history_.acknowledged(), cycles * 20);
  }
}

TEST_P(PowerCutTest, InTheFirstSecondOfAStoreNothingAcknowledgedOrShownIsLost) {
  Random random("PowerCutTest");
  const std::size_t cycles = rounds(8, 150);
  for (std::uint32_t cycle = 0; cycle < cycles; ++cycle) {
    SCOPED_TRACE("cycle " + std::to_string(cycle) + " of seed " + std::to_string(random.seed()));
    begin_with_no_store();
    run_and_cut(cycle, random.below(3), std::chrono::microseconds(random.below(30'000)));
    if (HasFatalFailure()) return;
    ASSERT_EQ(loss(), "");
  }
}

// The tests above would catch it if nothing were synced.
TEST_P(PowerCutTest, AProgramThatDoesNotSyncIsCaught) {
  Random random("PowerCutTest");
  std::string lost;
  for (std::uint32_t cycle = 0; cycle < 5 && lost.empty(); ++cycle) {
    begin_with_no_store();
    run_and_cut(cycle, random.between(20, 200), std::chrono::microseconds(random.below(4'000)), false);
    if (HasFatalFailure()) return;
    lost = loss();
  }
  EXPECT_NE(lost, "") << "nothing was synced, and nothing is missed";
}

}  // namespace
}  // namespace cairn::test
