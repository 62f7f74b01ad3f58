// verify_store() of an undamaged store, and of one that another process writes.

#include <csignal>
#include <string>
#include <thread>
#include <vector>

#include "eventstore/verify.h"
#include "tests/support/child_process.h"
#include "tests/support/numbered_events.h"
#include "tests/support/scale.h"
#include "tests/support/store_fixture.h"

namespace cairn::test {
namespace {

class VerifyTest : public StoreTest {};

TEST_F(VerifyTest, CountsWhatItChecked) {
  append("cart-1", {numbered_event(1, 50), numbered_event(2, 50)});
  append("cart-2", {numbered_event(3, 50)});
  flush();
  append("cart-1", {numbered_event(4, 50)});
  const std::string hash = store().head_hash();
  close();
  const auto report = verify_store(folder());
  ASSERT_THAT(report, succeeds());
  EXPECT_TRUE(report->sound());
  EXPECT_EQ(report->events, 4u);
  EXPECT_EQ(report->blocks, 3u);
  EXPECT_EQ(report->streams, 2u);
  EXPECT_EQ(report->head, 4u);
  EXPECT_EQ(report->head_hash, hash);
}

TEST_F(VerifyTest, ListsIdsThatOccurTwice) {
  options().dedup_window_days = 1;
  append("cart-1", {event(id(1), "A"), event(id(2), "B")});
  for (int day = 0; day < 5; ++day) {
    clock().advance_days(1);
    append("daily-1", {"Noise"});
  }
  append("cart-2", {event(id(2), "B")});
  append("cart-1", {event(id(3), "C")});
  close();
  EXPECT_EQ(verify_store(folder())->repeated_id_count, std::nullopt) << "only when it is asked for";
  const auto report = verify_store(folder(), {}, VerifyIds::kList);
  ASSERT_THAT(report, succeeds());
  EXPECT_TRUE(report->sound()) << "it is no damage";
  EXPECT_EQ(report->repeated_id_count, 1u);
  ASSERT_EQ(report->repeated_ids.size(), 1u);
  EXPECT_EQ(report->repeated_ids[0].id, id(2).to_string());
  EXPECT_EQ(report->repeated_ids[0].positions, (std::vector<std::uint64_t>{2, 8}));
}

TEST_F(VerifyTest, EndsWhenTheProgressCallbackCancels) {
  for (std::uint64_t n = 1; n <= 200; ++n) append("cart-1", {numbered_event(n, 50)});
  close();
  int calls = 0;
  const auto report =
      verify_store(folder(), [&](std::string_view, std::uint64_t, std::uint64_t) { return ++calls < 2; });
  EXPECT_THAT(report, fails_with(Errc::kFailedPrecondition));
  EXPECT_EQ(calls, 2);
}

// Blocks move from the journal to LMDB and heads to the index during the verification; none of it is damage.
TEST_F(VerifyTest, AConcurrentWriterIsNoDamage) {
  ChildProcess child({{test_program("append_child").string(), folder().string(), "1"}, {}});
  std::uint64_t last = 0;
  for (std::size_t round = 0; round < rounds(10, 200); ++round) {
    for (int lines = 0; lines < 100; ++lines) ASSERT_TRUE(child.read_line().has_value());
    const auto report = verify_store(folder());
    ASSERT_THAT(report, succeeds());
    EXPECT_TRUE(report->sound()) << report->findings.at(0).place << ": " << report->findings.at(0).what;
    EXPECT_GE(report->head, last);
    last = report->head;
  }
  EXPECT_GT(last, 0u);
  child.kill(SIGKILL);
  child.wait();
}

// The log was read before the index, and a flush in between made the index newer than the log.
TEST_F(VerifyTest, AFlushDuringTheVerificationIsNoDamage) {
  // Opening a log reads its whole journal: a large one leaves time for a flush.
  ChildProcess child(
      {{test_program("append_child").string(), folder().string(), "1", "900000", "33554432"}, {}});
  const auto hear = [&child](int lines) {
    while (lines-- > 0) ASSERT_TRUE(child.read_line().has_value());
  };
  hear(1'000);
  std::uint64_t indexed = 0;
  for (std::size_t round = 0; round < rounds(25, 200); ++round) {
    // Enough lines for two flushes, every 300 events. The child waits when its lines are not read, so that the log
    // stays short.
    std::thread hearing(hear, 1'200);
    const auto report = verify_store(folder());
    hearing.join();
    EXPECT_THAT(report, succeeds());
    if (!report.ok() || !report->sound()) {
      ADD_FAILURE() << "round " << round << ": "
                    << (report.ok() ? report->findings.at(0).place + ": " + report->findings.at(0).what : "");
      break;
    }
    EXPECT_GE(report->indexed_through, indexed);
    indexed = report->indexed_through;
    if (HasFatalFailure()) break;
  }
  EXPECT_GT(indexed, 0u) << "nothing was flushed, so nothing was tested";
  child.kill(SIGKILL);
  child.wait();
}

}  // namespace
}  // namespace cairn::test
