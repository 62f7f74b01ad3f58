// Copies of a store that another process writes.

#include <atomic>
#include <string>
#include <thread>

#include "eventstore/store_copy.h"
#include "tests/eventstore/follow/follow_fixture.h"
#include "tests/support/log_blocks.h"
#include "tests/support/scale.h"

namespace cairn::test {
namespace {

class CopyBesideTest : public FollowTest {
 protected:
  // Copies the store while the writer continues.
  void copy_beside(ChildProcess& writer, const std::filesystem::path& out) {
    const std::uint64_t before = acknowledged_.last();
    std::atomic<bool> done = false;
    std::thread hearing([&] {
      while (!done && !HasFatalFailure()) hear(writer, 5);
    });
    const auto report = copy_store(folder(), out, {});
    done = true;
    hearing.join();
    ASSERT_THAT(report, succeeds());
    EXPECT_GE(report->head, before) << "what was acknowledged before it began";
    EXPECT_EQ(report->index_left_out, "");
  }

  // Compares a copy with the final log.
  void expect_prefix(const std::filesystem::path& out) {
    const auto all = blocks_in(folder());
    const auto copied = blocks_in(out);
    ASSERT_THAT(all, succeeds());
    ASSERT_THAT(copied, succeeds());
    ASSERT_LE(copied->size(), all->size());
    for (std::size_t i = 0; i < copied->size(); ++i) ASSERT_EQ((*copied)[i], (*all)[i]) << "block " << i;
  }

  std::filesystem::path out(std::size_t number) const { return copies_ / std::to_string(number); }

  TempFolder copies_{Medium::kDisk};
};

TEST_F(CopyBesideTest, EachCopyIsAPrefixWithAllAcknowledgedEvents) {
  const std::size_t copies = rounds(6, 20);
  // A journal that is overwritten many times, and a map that grows.
  const auto writer = start_writer({.journal_bytes = 64u << 10, .map_bytes = 1u << 20});
  for (std::size_t i = 0; i < copies && !HasFatalFailure(); ++i) {
    hear(*writer, 300);
    copy_beside(*writer, out(i));
  }
  stop(*writer);
  for (std::size_t i = 0; i < copies && !HasFatalFailure(); ++i) expect_prefix(out(i));
}

// The writer flushes its index all the time. The log of a copy must contain every event that its index refers
// to.
TEST_F(CopyBesideTest, TheIndexIsNeverAheadOfTheLog) {
  ChildProcess writer({{test_program("append_child").string(), folder().string(), "1"}, {}});
  std::atomic<bool> done = false;
  for (int line = 0; line < 2'000; ++line) ASSERT_TRUE(writer.read_line().has_value());
  std::thread hearing([&] {
    while (!done && writer.read_line().has_value()) {
    }
  });
  std::uint64_t indexed = 0;
  for (std::size_t i = 0; i < rounds(8, 40); ++i) {
    const auto report = copy_store(folder(), out(i), {});
    EXPECT_THAT(report, succeeds());
    if (!report.ok()) break;
    EXPECT_GE(report->indexed_through, indexed);
    indexed = report->indexed_through;
  }
  done = true;
  hearing.join();
  EXPECT_GT(indexed, 0u) << "nothing was flushed, so nothing was tested";
  writer.kill(SIGKILL);
  writer.wait();
}

TEST_F(CopyBesideTest, AfterAKillTheCopyHasAllAcknowledgedEvents) {
  for (std::size_t round = 0; round < rounds(8, 40) && !HasFatalFailure(); ++round) {
    const auto writer = start_writer({});
    hear(*writer, 40);
    kill(*writer);
    const auto report = copy_store(folder(), out(round), {});
    ASSERT_THAT(report, succeeds());
    EXPECT_GE(report->head, acknowledged_.last());
    expect_prefix(out(round));
  }
}

}  // namespace
}  // namespace cairn::test
