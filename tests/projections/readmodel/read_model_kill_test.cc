// A process that is killed while it commits leaves rows that match their checkpoint; and a process may read
// while another one commits.

#include <chrono>
#include <csignal>

#include "tests/projections/readmodel/read_model_fixture.h"
#include "tests/support/child_process.h"
#include "tests/support/random.h"
#include "tests/support/scale.h"

namespace cairn::test {
namespace {

class ReadModelKillTest : public ReadModelTest {
 protected:
  static constexpr std::size_t kRows = 300;

  ChildProcess::Command child(std::size_t row_bytes) const {
    return {{test_program("read_model_child").string(), folder().string(), std::to_string(kRows),
             std::to_string(row_bytes)},
            {}};
  }

  // Checks that all rows, the checkpoint and the parked events are of one commit, and returns its number.
  std::uint64_t commit_seen() {
    const auto rows = model_->rows({.limit = 1'000});
    EXPECT_THAT(rows, succeeds());
    if (!rows.ok()) return 0;
    const std::string expected = std::to_string(rows->position.value);
    EXPECT_EQ(rows->rows.size(), expected == "0" ? 0 : kRows);
    for (const SavedRow& row : rows->rows) {
      EXPECT_EQ(row.saved.substr(0, row.saved.find('.')), expected) << row.key;
    }
    return rows->position.value;
  }
};

TEST_F(ReadModelKillTest, RowsMatchTheirCheckpoint) {
  Random random("ReadModelKillTest");
  close();
  std::uint64_t last = 0;
  for (std::size_t cycle = 0; cycle < rounds(15, 150); ++cycle) {
    SCOPED_TRACE("cycle " + std::to_string(cycle));
    std::uint64_t acknowledged = last;
    {
      ChildProcess process(child(100));
      const std::uint64_t wanted = last + random.between(1, 30);
      while (acknowledged < wanted) {
        const auto line = process.read_line();
        ASSERT_TRUE(line && !line->starts_with("failed")) << line.value_or("it ended");
        acknowledged = std::stoull(*line);
      }
      const auto end = std::chrono::steady_clock::now() + std::chrono::microseconds(random.below(2'000));
      while (std::chrono::steady_clock::now() < end) {
      }
      process.kill(SIGKILL);
      while (const auto line = process.read_line()) acknowledged = std::stoull(*line);
      ASSERT_EQ(process.wait().signal, SIGKILL);
    }
    reopen();
    if (HasFatalFailure()) return;
    last = commit_seen();
    EXPECT_GE(last, acknowledged);
    const std::string at = std::to_string(last);
    EXPECT_EQ(told(by_key("parked")),
              last % 2 == 1 ? at + ": " + at + " " + std::to_string(last + 1) : "nothing");
    close();
  }
}

TEST_F(ReadModelKillTest, AProcessReadsWhileAnotherCommits) {
  close();
  ChildProcess process(child(2'000));
  ASSERT_EQ(process.read_line(), "1");
  std::uint64_t seen = 0;
  for (int i = 0; i < 20; ++i) {
    reopen(Access::kReadOnly);
    if (HasFatalFailure()) return;
    for (int look = 0; look < 10; ++look) {
      const std::uint64_t now = commit_seen();
      EXPECT_GE(now, seen);
      seen = now;
    }
    if (HasFailure()) return;
    process.read_line();
  }
  EXPECT_GT(seen, 1u);
}

}  // namespace
}  // namespace cairn::test
