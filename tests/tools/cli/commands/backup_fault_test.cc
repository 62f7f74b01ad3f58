// `cairn backup` with a failing system call, the first, the second, until none is left: there is no backup,
// or a complete one.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "eventstore/event_store.h"
#include "eventstore/store_copy.h"
#include "eventstore/verify.h"
#include "tests/support/child_process.h"
#include "tests/support/io_fault.h"
#include "tests/support/matchers.h"
#include "tests/support/numbered_events.h"
#include "tests/support/small_store.h"
#include "tests/support/temp_folder.h"

namespace cairn::test {
namespace {

namespace fs = std::filesystem;

// Where the backup is made: under a free name, or in an empty folder.
enum class BackupPlace { kFree, kEmptyFolder };

class BackupFaultTest : public ::testing::TestWithParam<BackupPlace> {
 protected:
  void SetUp() override {
    const auto store = EventStore::open(data(), small_store());
    ASSERT_THAT(store, succeeds());
    for (std::uint64_t n = 1; n <= 12; ++n) {
      ASSERT_THAT((*store)->append(request({to("cart-" + std::to_string(n % 3), ExpectedVersion::any(),
                                               {numbered_event(n, 40 * n)})})),
                  succeeds());
      if (n != 6) continue;
      ASSERT_THAT((*store)->flush_index(), succeeds());
    }
  }

  // Runs a backup in which the `at`-th call goes wrong; 0 = none.
  Exit backup(IoFaultPanel& panel, std::uint64_t at, IoAction action, IoEffect effect) {
    fs::remove_all(out());
    fs::remove_all(folder_ / "out/backup.partial");
    fs::create_directories(GetParam() == BackupPlace::kFree ? folder_ / "out" : out());
    ChildProcess::Command command{{test_program("cairn").string(), "backup", "--data", data().string(),
                                   "--out", out().string(), "--json"},
                                  {}};
    panel.connect(command);
    panel.arm({.folder = folder_ / "out", .at = at, .effect = effect, .action = action});
    ChildProcess child(command);
    while (child.read_line()) {
    }
    return child.wait();
  }

  bool is_there() const { return fs::exists(out() / "cairn.json"); }
  void expect_whole() const {
    const auto report = verify_store(out());
    ASSERT_THAT(report, succeeds());
    EXPECT_TRUE(report->sound());
    EXPECT_EQ(report->head, 12u);
  }

  // Meets a fault at each call.
  template <typename Judge>
  void at_each_call(IoAction action, IoEffect effect, Judge judge) {
    IoFaultPanel panel;
    ASSERT_TRUE(backup(panel, 0, action, effect).clean());
    const std::uint64_t calls = panel.matched();
    ASSERT_GT(calls, 10u);
    for (std::uint64_t at = 1; at <= calls; ++at) {
      SCOPED_TRACE("call " + std::to_string(at) + " of " + std::to_string(calls));
      const Exit exit = backup(panel, at, action, effect);
      judge(exit);
      if (HasFailure()) return;
    }
  }

  fs::path data() const { return folder_ / "data"; }
  fs::path out() const { return folder_ / "out/backup"; }

  TempFolder folder_;
};

INSTANTIATE_TEST_SUITE_P(, BackupFaultTest, ::testing::Values(BackupPlace::kFree, BackupPlace::kEmptyFolder),
                         [](const auto& chosen) {
                           return chosen.param == BackupPlace::kFree ? "FreeName" : "EmptyFolder";
                         });

TEST_P(BackupFaultTest, KilledAtAnyCallItLeavesNoPartialBackup) {
  at_each_call(IoAction::kKill, IoEffect::kHalf, [&](const Exit& exit) {
    EXPECT_EQ(exit.signal, 9) << describe(exit);
    if (is_there()) return expect_whole();
    EXPECT_FALSE(verify_store(out()).ok());
    ASSERT_THAT(copy_store(data(), out(), {}), succeeds());
    expect_whole();
    EXPECT_FALSE(fs::exists(folder_ / "out/backup.partial"));
    EXPECT_FALSE(fs::exists(out() / ".partial"));
  });
}

TEST_P(BackupFaultTest, AFailedCallIsReportedAndNothingIsLeft) {
  at_each_call(IoAction::kError, IoEffect::kBefore, [&](const Exit& exit) {
    EXPECT_EQ(exit.signal, 0) << describe(exit);
    if (is_there()) return expect_whole();  // the call was optional or the last one
    EXPECT_EQ(exit.code, 1);
    EXPECT_TRUE(fs::is_empty(GetParam() == BackupPlace::kFree ? folder_ / "out" : out()));
  });
}

}  // namespace
}  // namespace cairn::test
