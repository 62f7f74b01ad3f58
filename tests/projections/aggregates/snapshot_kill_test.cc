// A process that is killed while it makes snapshots leaves the store intact, and the next run continues.

#include <csignal>
#include <cstdio>
#include <optional>
#include <string>

#include "tests/projections/aggregates/aggregates_fixture.h"
#include "tests/support/child_process.h"
#include "tests/support/random.h"
#include "tests/support/scale.h"

namespace cairn::test {
namespace {

class SnapshotKillTest : public AggregatesTest {
 protected:
  static constexpr std::uint64_t kOrders = 3'000;

  void make_orders() {
    has_aggregate(kSum);
    for (std::uint64_t i = 0; i < kOrders; ++i) added("order-" + std::to_string(i), 1 + i % 4);
    close_states();
  }

  // Returns the last line that the child printed; kills it at the given progress, if there is one.
  std::string run_child(std::optional<std::uint64_t> kill_at) {
    ChildProcess child({{test_program("snapshot_all_child").string(), folder().string()}, {}});
    if (!kill_at) child.close_input();
    std::string last;
    while (auto line = child.read_line()) {
      last = *line;
      unsigned long long at = 0;
      if (std::sscanf(last.c_str(), "at %llu", &at) == 1 && kill_at && at >= *kill_at) child.kill(SIGKILL);
    }
    child.wait();
    return last;
  }

  std::uint64_t with_snapshot() {
    std::uint64_t count = 0;
    SnapshotStreamsQuery query{.limit = 1'000};
    for (;;) {
      const auto page = value_of(store().list_snapshot_streams(query));
      count += page.streams.size();
      if (!page.next) return count;
      query.after = *page.next;
    }
  }
};

TEST_F(SnapshotKillTest, TheNextRunContinues) {
  without_automatic_snapshots();
  make_orders();
  Random random("SnapshotKillTest");
  std::uint64_t there = 0;
  for (std::size_t i = 0; i < rounds(4, 40); ++i) {
    const std::string last = run_child(random.between(1, kOrders));
    ASSERT_TRUE(last.starts_with("at ")) << last;
    const std::uint64_t now = with_snapshot();
    EXPECT_GE(now, there);
    there = now;
    close();
    const auto report = value_of(verify_store(folder()));
    ASSERT_TRUE(report.sound());
    EXPECT_EQ(report.snapshots, there);
    EXPECT_EQ(report.snapshots_damaged, 0u);
  }
  EXPECT_GT(there, 0u);
  unsigned long long made = 0, fresh = 0, failed = 1;
  const std::string last = run_child(std::nullopt);
  ASSERT_EQ(std::sscanf(last.c_str(), "made %llu fresh %llu failed %llu", &made, &fresh, &failed), 3) << last;
  EXPECT_EQ(fresh, there);
  EXPECT_EQ(made + fresh, kOrders);
  EXPECT_EQ(failed, 0u);
  EXPECT_EQ(told("order-2999"), R"({"n":4,"sum":10} after 4, 0 folded behind 4)");
  close_states();
  expect_sound();
}

}  // namespace
}  // namespace cairn::test
