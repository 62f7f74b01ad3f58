// A full disk: rows that are committed keep answering, and the projection resumes by itself when space is
// free.

#include "tests/projections/daemon/daemon_fixture.h"
#include "tests/support/small_disk.h"

namespace cairn::test {
namespace {

using ::testing::HasSubstr;

class ProjectionFullDiskTest : public DaemonTest {
 protected:
  void SetUp() override {
    if (!disk_.missing().empty()) GTEST_SKIP() << disk_.missing();
    open_on_disk();
  }
  void TearDown() override { daemon_.reset(); }

  void open_on_disk() {
    daemon_.reset();
    auto opened = ProjectionDaemon::open(store(), shapes(), disk_.path(), daemon_options());
    ASSERT_THAT(opened, succeeds());
    daemon_ = *std::move(opened);
  }
  void step_all() {
    while (daemon_->run_once()) {
    }
  }
  ProjectionStatus now() { return daemon_->status("customers").value_or(ProjectionStatus{}); }
  std::string row_of(const std::string& key) {
    const auto answer = daemon_->row("customers", key, false);
    return answer && answer->json ? *answer->json : "none";
  }
  // Rows that take far more than the disk has left.
  void much(int from) {
    std::vector<NewEvent> events;
    for (int i = 0; i < 4'000; ++i) {
      events.push_back(event("Added", added_json("customer-" + std::to_string(from + i), 1)));
    }
    append("order-1", std::move(events));
  }

  SmallDisk disk_{SmallDisk::Kind::kExt4, 24u << 20};
  std::unique_ptr<ProjectionDaemon> daemon_;
};

TEST_F(ProjectionFullDiskTest, CommitsAreRetriedUntilThereIsSpace) {
  const auto outcome = daemon_->deploy({"customers", kByCustomer, "customers.lua"});
  ASSERT_TRUE(outcome);
  added("order-1", "ada", 5);
  step_all();
  const std::uint64_t before = now().position.value;
  disk_.fill_up();
  much(0);
  added("order-1", "ada", 6);
  step_all();
  EXPECT_EQ(to_string(now().state), "running");
  EXPECT_THAT(now().reason, HasSubstr("pace")) << "it says what is in the way: no space left on the device";
  EXPECT_EQ(now().retries, 1u);
  EXPECT_EQ(now().position.value, before);
  ASSERT_EQ(lines("projection-retrying").size(), 1u);
  EXPECT_THAT(lines("projection-retrying")[0].message,
              HasSubstr("Projection customers tries again at position "));
  EXPECT_EQ(row_of("ada"), R"({"n":1,"sum":5})") << "committed rows keep answering";
  step_all();
  EXPECT_EQ(now().retries, 1u) << "not before its time";
  clock().advance(60 * ManualClock::kSecond);
  step_all();
  EXPECT_EQ(now().retries, 2u);
  EXPECT_EQ(to_string(now().state), "stalled");
  for (int i = 0; i < 20; ++i) daemon_->run_once();
  ASSERT_EQ(lines("projection-stalled").size(), 1u) << "once";
  EXPECT_THAT(lines("projection-stalled")[0].message, HasSubstr("4001 events behind"));
  EXPECT_EQ(lines("projection-recovered").size(), 0u);
  disk_.free_up();
  clock().advance(60 * ManualClock::kSecond);
  step_all();
  EXPECT_EQ(to_string(now().state), "running");
  EXPECT_EQ(now().reason, "");
  ASSERT_EQ(lines("projection-recovered").size(), 1u);
  EXPECT_THAT(lines("projection-recovered")[0].message, HasSubstr("has recovered after 120000 ms"));
  EXPECT_EQ(row_of("ada"), R"({"n":2,"sum":11})");
  EXPECT_EQ(now().rows, 4'001u);
  EXPECT_EQ(now().position.value, head());
}

TEST_F(ProjectionFullDiskTest, APositionDoesNotFallWhenTheFirstCommitAfterACrashFails) {
  const auto outcome = daemon_->deploy({"customers", kByCustomer, "customers.lua"});
  ASSERT_TRUE(outcome);
  added("order-1", "ada", 5);
  step_all();
  for (int i = 0; i < 10; ++i) append("noise-1", {event("Other", "{}")});
  step_all();
  const std::uint64_t before = now().position.value;
  ASSERT_EQ(before, head());
  // A kill: nothing that the daemon would write at its end is there afterwards.
  const TempFolder kept;
  copy_folder(disk_.path() / "readmodels", kept / "readmodels");
  daemon_.reset();
  std::filesystem::remove_all(disk_.path() / "readmodels");
  copy_folder(kept / "readmodels", disk_.path() / "readmodels");
  much(0);
  disk_.fill_up();
  open_on_disk();
  EXPECT_GE(now().position.value, before);
  step_all();
  EXPECT_GE(now().position.value, before);
  EXPECT_GE(now().retries, 1u) << "the commit failed";
  EXPECT_EQ(row_of("ada"), R"({"n":1,"sum":5})");
  disk_.free_up();
  clock().advance(60 * ManualClock::kSecond);
  step_all();
  EXPECT_EQ(now().position.value, head());
  EXPECT_EQ(now().rows, 4'001u);
}

TEST_F(ProjectionFullDiskTest, ARebuildThatCannotBeginLeavesTheFirstBuildUnderWay) {
  daemon_options().batch_positions_max = 2;
  open_on_disk();
  for (int i = 0; i < 20; ++i) added("order-1", "ada", 1);
  ASSERT_TRUE(daemon_->deploy({"customers", kByCustomer, "customers.lua"}));
  daemon_->run_once();
  daemon_->run_once();
  disk_.fill_up();
  EXPECT_THAT(daemon_->rebuild("customers", std::nullopt), fails_with(Errc::kDiskFull));
  ASSERT_TRUE(now().rebuild.has_value());
  EXPECT_EQ(now().rebuild->generation, 1u);
  EXPECT_EQ(to_string(now().state), "rebuilding");
  disk_.free_up();
  clock().advance(60 * ManualClock::kSecond);
  step_all();
  EXPECT_EQ(now().generation, 1u);
  EXPECT_EQ(row_of("ada"), R"({"n":20,"sum":20})");
}

}  // namespace
}  // namespace cairn::test
