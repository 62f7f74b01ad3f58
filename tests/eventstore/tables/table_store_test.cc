#include "eventstore/tables/table_store.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <map>
#include <thread>

#include "tests/support/child_process.h"
#include "tests/support/matchers.h"
#include "tests/support/random.h"
#include "tests/support/scale.h"
#include "tests/support/temp_folder.h"

namespace cairn::test {
namespace {

using ::testing::ElementsAre;
using Access = TableStore::Access;
using Record = std::pair<std::string, std::string>;

constexpr TableId kOne{0};
constexpr TableId kTwo{1};

class TableStoreTest : public ::testing::Test {
 protected:
  void SetUp() override { create(); }

  static TableStoreOptions options() { return {.tables = {"one", "two"}, .map_bytes = 4u << 20}; }
  std::filesystem::path folder() const { return folder_ / "tables"; }

  void create() {
    auto made = TableStore::create(folder(), options());
    ASSERT_THAT(made, succeeds());
    store_ = *std::move(made);
  }

  void reopen() {
    store_.reset();
    auto opened = TableStore::open(folder(), options());
    ASSERT_THAT(opened, succeeds());
    store_ = *std::move(opened);
  }

  Status put(const std::vector<Record>& records, TableId table = kOne) {
    return store_->write([&](TableWriter& writer) -> Status {
      for (const auto& [key, value] : records) CAIRN_CHECK(writer.put(table, key, value));
      return {};
    });
  }

  static std::vector<Record> all_in(const TableSnapshot& snapshot, TableId table = kOne,
                                    std::string_view from = {}) {
    std::vector<Record> records;
    auto cursor = snapshot.cursor(table);
    EXPECT_THAT(cursor, succeeds());
    auto found = cursor->at_or_after(from);
    while (found.ok() && *found) {
      records.emplace_back((*found)->key, (*found)->value);
      found = cursor->next();
    }
    EXPECT_THAT(found, succeeds());
    return records;
  }
  std::vector<Record> all(TableId table = kOne, std::string_view from = {}) {
    auto snapshot = store_->read();
    EXPECT_THAT(snapshot, succeeds());
    return all_in(*snapshot, table, from);
  }

  TempFolder folder_;
  std::unique_ptr<TableStore> store_;
};

TEST_F(TableStoreTest, CommittedRecordsSurviveReopening) {
  ASSERT_THAT(put({{"b", "2"}, {"a", "1"}}), succeeds());
  ASSERT_THAT(put({{"a", "other"}}, kTwo), succeeds());
  reopen();
  EXPECT_THAT(all(), ElementsAre(Record("a", "1"), Record("b", "2")));
  EXPECT_THAT(all(kTwo), ElementsAre(Record("a", "other")));
  EXPECT_THAT(all(kOne, "aa"), ElementsAre(Record("b", "2")));
}

TEST_F(TableStoreTest, AWriterReportsWhetherRecordsExisted) {
  ASSERT_THAT(put({{"a", "1"}, {"c", "3"}}), succeeds());
  const Status written = store_->write([](TableWriter& writer) -> Status {
    EXPECT_EQ(*writer.put(kOne, "a", "a longer one"), false);
    EXPECT_EQ(*writer.put(kOne, "b", "2"), true);
    EXPECT_EQ(*writer.put(kOne, "d", "4"), true);
    EXPECT_EQ(*writer.put(kOne, "d", "5"), false);
    EXPECT_EQ(*writer.erase(kOne, "c"), true);
    EXPECT_EQ(*writer.erase(kOne, "c"), false);
    EXPECT_EQ(*writer.erase(kOne, ""), false);
    EXPECT_EQ(**writer.get(kOne, "b"), "2");
    EXPECT_EQ(*writer.get(kOne, "c"), std::nullopt);
    return {};
  });
  ASSERT_THAT(written, succeeds());
  EXPECT_THAT(all(), ElementsAre(Record("a", "a longer one"), Record("b", "2"), Record("d", "5")));
}

TEST_F(TableStoreTest, EraseRangeExcludesItsEnd) {
  ASSERT_THAT(put({{"a", ""}, {"b", ""}, {"c", ""}, {"d", ""}}), succeeds());
  const Status written = store_->write([](TableWriter& writer) -> Status {
    EXPECT_EQ(*writer.erase_range(kOne, "b", "d"), 2u);
    EXPECT_EQ(*writer.erase_range(kOne, "b", "d"), 0u);
    EXPECT_EQ(*writer.erase_range(kTwo, "", "z"), 0u);
    return {};
  });
  ASSERT_THAT(written, succeeds());
  EXPECT_THAT(all(), ElementsAre(Record("a", ""), Record("d", "")));
}

TEST_F(TableStoreTest, InvalidKeysAreRefusedAndNeverFound) {
  const std::string longest(kTableKeyBytesMax, 'k');
  ASSERT_THAT(put({{longest, "v"}}), succeeds());
  EXPECT_THAT(put({{longest + "k", "v"}}), fails_with(Errc::kInvalidArgument));
  EXPECT_THAT(put({{"", "v"}}), fails_with(Errc::kInvalidArgument));
  const auto snapshot = store_->read();
  EXPECT_EQ(**snapshot->get(kOne, longest), "v");
  EXPECT_EQ(*snapshot->get(kOne, longest + "k"), std::nullopt);
  EXPECT_EQ(*snapshot->get(kOne, ""), std::nullopt);
}

TEST_F(TableStoreTest, AFailedFillChangesNothing) {
  ASSERT_THAT(put({{"a", "1"}}), succeeds());
  const Status written = store_->write([](TableWriter& writer) -> Status {
    CAIRN_CHECK(writer.put(kOne, "a", "2"));
    CAIRN_CHECK(writer.erase(kOne, "a"));
    return make_error(Errc::kNotFound, "thought better of it");
  });
  EXPECT_THAT(written, fails_with(Errc::kNotFound));
  EXPECT_THAT(all(), ElementsAre(Record("a", "1")));
  ASSERT_THAT(put({{"b", "2"}}), succeeds());
  reopen();
  EXPECT_THAT(all(), ElementsAre(Record("a", "1"), Record("b", "2")));
}

TEST_F(TableStoreTest, WhenTheMapGrowsTheCallbackRunsAgain) {
  const std::string value(3'000, 'v');
  const std::uint64_t before = store_->map_bytes();
  int calls = 0;
  const Status written = store_->write([&](TableWriter& writer) -> Status {
    ++calls;
    for (int i = 0; i < 20'000; ++i) CAIRN_CHECK(writer.put(kOne, "key-" + std::to_string(i), value));
    return {};
  });
  ASSERT_THAT(written, succeeds());
  EXPECT_GT(calls, 1);
  EXPECT_GT(store_->map_bytes(), before);
  EXPECT_GT(store_->used_bytes(), before);
  EXPECT_EQ(all().size(), 20'000u);
  reopen();
  EXPECT_EQ(all().size(), 20'000u);
}

// Half-empty pages would double the size of a table with ascending keys.
TEST_F(TableStoreTest, AscendingKeysFillTheirPages) {
  std::vector<Record> records;
  for (int i = 0; i < 20'000; ++i) records.emplace_back(std::to_string(1'000'000 + i), std::string(100, 'v'));
  ASSERT_THAT(put(records), succeeds());
  EXPECT_LT(store_->used_bytes(), 20'000u * 130);
}

TEST_F(TableStoreTest, ASnapshotDoesNotSeeLaterCommits) {
  std::vector<Record> records;
  for (int i = 0; i < 2'000; ++i) records.emplace_back("key-" + std::to_string(10'000 + i), "0");
  ASSERT_THAT(put(records), succeeds());
  {
    const auto snapshot = store_->read();
    ASSERT_THAT(snapshot, succeeds());
    std::thread writer([&] {
      for (int round = 1; round <= 20; ++round) {
        for (auto& [key, value] : records) value = std::to_string(round);
        EXPECT_THAT(put(records), succeeds());
      }
    });
    writer.join();
    for (const auto& [key, value] : all_in(*snapshot)) ASSERT_EQ(value, "0");
  }
  for (const auto& [key, value] : all()) ASSERT_EQ(value, "20");
}

TEST_F(TableStoreTest, ConcurrentReadersSeeWholeCommits) {
  std::atomic<bool> stop = false;
  std::vector<std::thread> readers;
  std::atomic<std::uint64_t> reads = 0;
  for (int i = 0; i < 3; ++i) {
    readers.emplace_back([&] {
      while (!stop) {
        const auto snapshot = store_->read();
        ASSERT_THAT(snapshot, succeeds());
        const auto records = all_in(*snapshot);
        for (const auto& [key, value] : records) ASSERT_EQ(value, records[0].second);
        ++reads;
      }
    });
  }
  const std::string filler(2'000, '.');
  for (int round = 0; round < 60 || reads < 30; ++round) {
    const Status written = store_->write([&](TableWriter& writer) -> Status {
      for (int i = 0; i < 60; ++i) {
        CAIRN_CHECK(writer.put(kOne, "key-" + std::to_string(i), std::to_string(round)));
        CAIRN_CHECK(writer.put(kTwo, std::to_string(round % 200) + "-" + std::to_string(i), filler));
      }
      return {};
    });
    ASSERT_THAT(written, succeeds());
  }
  stop = true;
  for (std::thread& reader : readers) reader.join();
}

TEST_F(TableStoreTest, OpeningAMissingStoreIsNotFound) {
  EXPECT_THAT(TableStore::open(folder_ / "elsewhere", options()), fails_with(Errc::kNotFound));
}

TEST_F(TableStoreTest, AMissingTableIsDamage) {
  store_.reset();
  TableStoreOptions more = options();
  more.tables.push_back("three");
  EXPECT_THAT(TableStore::open(folder(), more), fails_with(Errc::kCorruption));
  more.access = Access::kReadOnly;
  EXPECT_THAT(TableStore::open(folder(), more), fails_with(Errc::kCorruption));
}

TEST_F(TableStoreTest, AReadOnlyStoreRefusesWrites) {
  ASSERT_THAT(put({{"a", "1"}}), succeeds());
  store_.reset();
  TableStoreOptions reading = options();
  reading.access = Access::kReadOnly;
  auto opened = TableStore::open(folder(), reading);
  ASSERT_THAT(opened, succeeds());
  store_ = *std::move(opened);
  EXPECT_THAT(all(), ElementsAre(Record("a", "1")));
  EXPECT_THAT(put({{"a", "2"}}), fails_with(Errc::kFailedPrecondition));
}

TEST_F(TableStoreTest, AReaderFollowsAnotherProcessThatGrowsTheMap) {
  store_.reset();
  ChildProcess writer({{test_program("table_store_child").string(), folder().string()}, {}});
  ASSERT_EQ(writer.ask("10"), "ok");
  TableStoreOptions reading = options();
  reading.access = Access::kReadOnly;
  reading.map_bytes = 1u << 20;
  auto opened = TableStore::open(folder(), reading);
  ASSERT_THAT(opened, succeeds());
  store_ = *std::move(opened);
  EXPECT_EQ(all().size(), 10u);
  for (const std::size_t count : {100u, 5'000u, 40'000u}) {
    ASSERT_EQ(writer.ask(std::to_string(count)), "ok");
    const auto records = all();
    ASSERT_EQ(records.size(), count);
    for (const auto& [key, value] : records) ASSERT_TRUE(value.starts_with(std::to_string(count) + "."));
  }
  EXPECT_GT(store_->map_bytes(), 40u << 20);
}

TEST_F(TableStoreTest, ATruncatedFileIsAnErrorAtEveryLength) {
  std::vector<Record> records;
  for (int i = 0; i < 3'000; ++i) records.emplace_back("key-" + std::to_string(i), std::string(200, 'v'));
  ASSERT_THAT(put(records), succeeds());
  const std::uint64_t used = store_->used_bytes();
  store_.reset();
  TableStoreOptions reading = options();
  reading.access = Access::kReadOnly;
  for (std::uint64_t ninth = 9; ninth > 0; --ninth) {
    const std::uint64_t size = used * ninth / 9 - 1;
    std::filesystem::resize_file(folder() / "data.mdb", size);
    EXPECT_THAT(TableStore::open(folder(), options()), fails_with(Errc::kCorruption)) << size;
    EXPECT_THAT(TableStore::open(folder(), reading), fails_with(Errc::kCorruption)) << size;
  }
  std::filesystem::resize_file(folder() / "data.mdb", 0);
  EXPECT_THAT(TableStore::open(folder(), options()), fails_with(Errc::kCorruption));
}

// Reopens after each commit, because the file must pass the checks of open() after every commit.
TEST_F(TableStoreTest, RandomCommitsMatchAStdMap) {
  Random random("TableStoreTest");
  std::map<std::string, std::string> model;
  for (std::size_t round = 0; round < rounds(60, 1'000); ++round) {
    const bool empties = random.one_in(8);
    const auto before = model;
    const Status written = store_->write([&](TableWriter& writer) -> Status {
      model = before;
      if (empties) {
        CAIRN_TRY(const std::uint64_t erased, writer.erase_range(kOne, "", "~"));
        EXPECT_EQ(erased, model.size());
        model.clear();
      }
      for (std::size_t i = random.below(empties ? 20 : 600); i > 0; --i) {
        const std::string key = "key-" + std::to_string(random.below(1'000));
        if (random.one_in(3)) {
          CAIRN_TRY(const bool erased, writer.erase(kOne, key));
          EXPECT_EQ(erased, model.erase(key) > 0);
        } else {
          const std::string value(random.below(random.one_in(20) ? 9'000 : 300), 'v');
          CAIRN_TRY(const bool made, writer.put(kOne, key, value));
          EXPECT_EQ(made, !model.contains(key));
          model[key] = value;
        }
      }
      return {};
    });
    ASSERT_THAT(written, succeeds());
    reopen();
    if (HasFatalFailure()) return;
    ASSERT_EQ(all(), std::vector<Record>(model.begin(), model.end()));
  }
}

}  // namespace
}  // namespace cairn::test
