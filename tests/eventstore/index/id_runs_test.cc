#include "eventstore/index/id_runs.h"

#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <random>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "eventstore/index/id_filter.h"
#include "tests/support/matchers.h"
#include "tests/support/temp_folder.h"

namespace cairn {
namespace {

using test::succeeds;

class IdRunsTest : public testing::Test {
 protected:
  void SetUp() override { reopen(); }

  void reopen() {
    runs_.reset();
    env_.reset();
    auto env = lmdb::Env::open(folder_.path(), {.map_bytes = 64u << 20, .tables_max = 2});
    ASSERT_THAT(env, succeeds());
    env_ = *std::move(env);
    MDB_dbi table = 0;
    const lmdb::TableHandle handle{"ids", &table};
    ASSERT_THAT(env_->open_tables({&handle, 1}), succeeds());
    runs_ = std::make_unique<IdRuns>(*env_, table);
    ASSERT_THAT(runs_->load(), succeeds());
  }

  void add(std::uint32_t day, std::vector<IdRuns::Entry> entries) {
    std::sort(entries.begin(), entries.end());
    in_transaction([&](MDB_txn* txn) { return runs_->add(txn, day, entries); });
  }
  void drop_before(std::uint32_t day) {
    in_transaction([&](MDB_txn* txn) { return runs_->drop_before(txn, day); });
  }
  void in_transaction(const std::function<Result<int>(MDB_txn*)>& write) {
    auto txn = env_->begin_write();
    ASSERT_THAT(txn, succeeds());
    const auto code = write(txn->get());
    ASSERT_THAT(code, succeeds());
    ASSERT_EQ(*code, 0);
    runs_->prepare(txn->get());
    if (in_between) in_between();
    ASSERT_EQ(txn->commit(), 0);
    if (in_between) in_between();
    runs_->publish();
  }
  std::set<std::uint64_t> find(std::uint64_t hash, std::uint32_t first_day = 0) {
    const auto found = runs_->find(hash, first_day);
    EXPECT_THAT(found, succeeds());
    std::set<std::uint64_t> positions;
    for (const GlobalPosition position : *found) positions.insert(position.value);
    return positions;
  }

  std::function<void()> in_between;  // called before each commit, and between it and publish()
  test::TempFolder folder_;
  std::unique_ptr<lmdb::Env> env_;
  std::unique_ptr<IdRuns> runs_;
};

// The flushing thread may be suspended between the commit that replaces runs and publish(). A reader that came
// then was told that the index lacks a chunk.
TEST_F(IdRunsTest, FindsWhatACommitReplacesBeforeItIsPublished) {
  add(100, {{1, 10}, {2, 20}});
  in_between = [&] {
    EXPECT_EQ(find(1), std::set<std::uint64_t>{10});
    EXPECT_EQ(find(2), std::set<std::uint64_t>{20});
  };
  add(100, {{3, 30}, {4, 40}});  // merges the runs, and erases the first
  add(101, {{5, 50}});
  EXPECT_EQ(find(3), std::set<std::uint64_t>{30});
  in_between = [&] { EXPECT_EQ(find(5), std::set<std::uint64_t>{50}); };
  drop_before(101);
  EXPECT_TRUE(find(1).empty());
}

// The next transaction has the number of the one that was aborted.
TEST_F(IdRunsTest, AnAbortedFlushLeavesNoTrace) {
  add(100, {{1, 10}});
  {
    auto txn = env_->begin_write();
    ASSERT_THAT(txn, succeeds());
    ASSERT_THAT(runs_->add(txn->get(), 100, {{2, 20}}), succeeds());
    runs_->prepare(txn->get());
  }
  runs_->discard();
  in_between = [&] { EXPECT_EQ(find(1), std::set<std::uint64_t>{10}); };
  add(101, {{3, 30}});
  EXPECT_TRUE(find(2).empty());
}

TEST_F(IdRunsTest, FindsEveryEntryOfManyRunsAlsoAfterReopening) {
  std::mt19937_64 random(42);
  std::map<std::uint64_t, std::uint64_t> all;
  std::uint64_t position = 0;
  for (int flush = 0; flush < 60; ++flush) {
    std::vector<IdRuns::Entry> entries;
    for (std::uint64_t i = 0; i < random() % 700 + 1; ++i) entries.push_back({random(), ++position});
    for (const auto& entry : entries) all[entry.hash] = entry.position;
    add(static_cast<std::uint32_t>(100 + flush / 20), entries);
  }
  for (int pass = 0; pass < 2; ++pass) {
    for (const auto& [hash, at] : all) ASSERT_EQ(find(hash), std::set{at});
    for (int i = 0; i < 1'000; ++i) ASSERT_TRUE(find(random()).empty());
    reopen();
  }
}

TEST_F(IdRunsTest, EqualHashesAreAllFoundAcrossChunks) {
  std::vector<IdRuns::Entry> entries;
  std::set<std::uint64_t> expected;
  for (std::uint64_t i = 1; i <= 500; ++i) {
    entries.push_back({7'000, i});
    expected.insert(i);
  }
  entries.push_back({6'999, 1'000});
  entries.push_back({7'001, 1'001});
  add(1, entries);
  EXPECT_EQ(find(7'000), expected);
  EXPECT_EQ(find(6'999), std::set<std::uint64_t>{1'000});
}

TEST_F(IdRunsTest, DaysAreDroppedWhole) {
  add(10, {{1, 1}});
  add(11, {{2, 2}});
  add(12, {{3, 3}});
  EXPECT_EQ(find(1, 11), std::set<std::uint64_t>{});
  drop_before(12);
  reopen();
  EXPECT_TRUE(find(1).empty());
  EXPECT_TRUE(find(2).empty());
  EXPECT_EQ(find(3), std::set<std::uint64_t>{3});
}

TEST_F(IdRunsTest, AnAbortedFlushLeavesNothing) {
  add(10, {{1, 1}});
  {
    auto txn = env_->begin_write();
    ASSERT_THAT(txn, succeeds());
    ASSERT_THAT(runs_->add(txn->get(), 10, {{2, 2}}), succeeds());
  }
  runs_->discard();
  EXPECT_EQ(find(1), std::set<std::uint64_t>{1});
  EXPECT_TRUE(find(2).empty());
}

TEST(IdFilterTest, HasNoFalseNegativesAndFewFalsePositives) {
  std::mt19937_64 random(7);
  IdFilter filter(100'000);
  std::vector<std::uint64_t> own(100'000);
  for (auto& hash : own) filter.add(hash = random());
  for (const std::uint64_t hash : own) ASSERT_TRUE(filter.may_hold(hash));
  int false_positives = 0;
  for (int i = 0; i < 100'000; ++i) false_positives += filter.may_hold(random()) ? 1 : 0;
  EXPECT_LT(false_positives, 3'000);
}

}  // namespace
}  // namespace cairn
