// A process with eight writers, killed at random moments, loses no acknowledged event. Repeated on one
// folder.

#include <algorithm>
#include <chrono>
#include <csignal>
#include <string>
#include <vector>

#include "tests/support/child_process.h"
#include "tests/support/crash_plan.h"
#include "tests/support/numbered_events.h"
#include "tests/support/random.h"
#include "tests/support/reading.h"
#include "tests/support/scale.h"
#include "tests/support/store_fixture.h"

namespace cairn::test {
namespace {

class KillTest : public StoreTest {
 protected:
  // On a disk, so that some kills hit a sync.
  KillTest() : StoreTest(Medium::kDisk) {}

  // Starts the writers and kills them `spin` after the parent has read `acks` acknowledgements.
  void run_and_kill(std::uint32_t cycle, std::size_t acks, std::chrono::microseconds spin) {
    ChildProcess child(
        {{test_program("append_child").string(), folder().string(), std::to_string(cycle)}, {}});
    const std::size_t target = history_.acknowledged() + acks;
    while (history_.acknowledged() < target) {
      auto line = child.read_line();
      ASSERT_TRUE(line.has_value()) << "the writers ended by themselves: " << describe(child.wait());
      history_.hear(*line);
    }
    const auto end = std::chrono::steady_clock::now() + spin;
    while (std::chrono::steady_clock::now() < end) {
    }
    child.kill(SIGKILL);
    while (auto line = child.read_line()) history_.hear(*line);
    ASSERT_EQ(child.wait().signal, SIGKILL);
  }

  void expect_promises_kept() {
    auto scanned = scan_all(store());
    ASSERT_THAT(scanned, succeeds());
    ASSERT_EQ(history_.broken_promise(*scanned), "");
  }

  // Queries over all kinds of terms give what a scan of the log gives.
  void expect_queries_agree(Random& random) {
    const std::vector<Event> scanned = value_of(scan_all(store()));
    if (scanned.empty()) return;
    for (int i = 0; i < 20; ++i) {
      const Event& like = random.pick(scanned);
      EventFilter filter;
      const auto correlation = [](const Event& event) {
        return "c-" + std::to_string(number_of(event.id) / 4);
      };
      if (random.one_in(2)) filter.correlation = correlation(like);
      if (random.one_in(2)) filter.tags = like.tags;
      if (random.one_in(2)) filter.types = {like.type};
      if (random.one_in(2)) filter.categories = {std::string(category_of(like.stream))};
      std::vector<std::uint64_t> expected;
      for (const Event& event : scanned) {
        const bool tagged = std::all_of(filter.tags.begin(), filter.tags.end(), [&](const std::string& tag) {
          return std::find(event.tags.begin(), event.tags.end(), tag) != event.tags.end();
        });
        if (tagged && (filter.correlation.empty() || filter.correlation == correlation(event)) &&
            (filter.types.empty() || filter.types.front() == event.type) &&
            (filter.categories.empty() || filter.categories.front() == category_of(event.stream))) {
          expected.push_back(event.position);
        }
      }
      ASSERT_EQ(positions_of(log(filter, Direction::kForward, 1'000)), expected);
    }
  }

  // Retries every append that got no answer, as a client would.
  void retry_unanswered() {
    for (const CrashOp& op : history_.unanswered()) history_.record(op, store().append(op.request()));
  }

  CrashHistory history_;
};

TEST_F(KillTest, NothingAcknowledgedIsLostOrDuplicated) {
  Random random("KillTest");
  const std::size_t cycles = rounds(20, 200);
  for (std::uint32_t cycle = 0; cycle < cycles; ++cycle) {
    SCOPED_TRACE("cycle " + std::to_string(cycle) + " of seed " + std::to_string(random.seed()));
    // Some kills hit the opening of the store, most of them commits and flushes.
    const std::size_t acks = random.one_in(6) ? 0 : random.between(1, 400);
    run_and_kill(cycle, acks, std::chrono::microseconds(random.below(acks == 0 ? 20'000 : 3'000)));
    if (HasFatalFailure()) return;
    open();
    if (HasFatalFailure()) return;
    expect_promises_kept();
    expect_queries_agree(random);
    retry_unanswered();
    expect_promises_kept();
    if (HasFatalFailure()) return;
    EXPECT_TRUE(history_.unanswered().empty());
    expect_sound();
  }
  EXPECT_GT(history_.acknowledged(), cycles * 20);
}

}  // namespace
}  // namespace cairn::test
