// The power fails during `cairn backup`, on the disk that holds the store and its copy: the store is as it
// was, and there is no backup or a complete one.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <string>

#include <unistd.h>

#include "eventstore/event_store.h"
#include "eventstore/store_copy.h"
#include "eventstore/verify.h"
#include "tests/support/child_process.h"
#include "tests/support/matchers.h"
#include "tests/support/numbered_events.h"
#include "tests/support/random.h"
#include "tests/support/scale.h"
#include "tests/support/small_disk.h"
#include "tests/support/small_store.h"

namespace cairn::test {
namespace {

namespace fs = std::filesystem;

class BackupPowerCutTest : public ::testing::Test {
 protected:
  static constexpr std::uint64_t kEvents = 400;

  void SetUp() override {
    if (!disk_.missing().empty()) GTEST_SKIP() << disk_.missing();
    const auto store = EventStore::open(data(), small_store());
    ASSERT_THAT(store, succeeds());
    for (std::uint64_t n = 1; n <= kEvents; ++n) {
      ASSERT_THAT((*store)->append(request({to("cart-" + std::to_string(n % 7), ExpectedVersion::any(),
                                               {numbered_event(n, 20 * (n % 100))})})),
                  succeeds());
    }
  }

  ChildProcess::Command backup() const {
    return {{test_program("cairn").string(), "backup", "--data", data().string(), "--out", out().string(),
             "--json"},
            {}};
  }

  static Exit ended(ChildProcess& child) {
    while (child.read_line()) {
    }
    return child.wait();
  }

  static void expect_whole(const fs::path& folder) {
    const auto report = verify_store(folder);
    ASSERT_THAT(report, succeeds());
    EXPECT_TRUE(report->sound()) << report->findings.at(0).place << ": " << report->findings.at(0).what;
    EXPECT_EQ(report->head, kEvents);
  }

  fs::path data() const { return disk_.path() / "data"; }
  fs::path out() const { return disk_.path() / "backup"; }

  SmallDisk disk_{SmallDisk::Kind::kExt4Journal, 128u << 20};
};

TEST_F(BackupPowerCutTest, AtAnyMomentThereIsNoBackupOrAWholeOne) {
  using Clock = std::chrono::steady_clock;
  const auto begun = Clock::now();
  {
    ChildProcess child(backup());
    ASSERT_TRUE(ended(child).clean());
  }
  const auto whole = std::chrono::duration_cast<std::chrono::microseconds>(Clock::now() - begun);
  Random random("BackupPowerCutTest");
  const std::size_t cycles = rounds(8, 150);
  for (std::size_t cycle = 0; cycle < cycles; ++cycle) {
    SCOPED_TRACE("cycle " + std::to_string(cycle) + " of seed " + std::to_string(random.seed()));
    fs::remove_all(out());
    ::sync();  // else the cut brings the old copy back
    Exit exit;
    {
      ChildProcess child(backup());
      const auto end = Clock::now() + std::chrono::microseconds(
                                          random.below(static_cast<std::uint64_t>(whole.count()) * 5 / 4));
      while (Clock::now() < end) {
      }
      ASSERT_TRUE(disk_.cut_power()) << std::strerror(errno);
      exit = ended(child);
    }
    ASSERT_TRUE(disk_.restore_power());
    expect_whole(data());
    if (!fs::exists(out() / "cairn.json")) {
      EXPECT_FALSE(exit.clean()) << "it was reported, and is not there";
      ASSERT_THAT(copy_store(data(), out(), {}), succeeds());
    }
    expect_whole(out());
    if (HasFailure()) return;
  }
}

}  // namespace
}  // namespace cairn::test
