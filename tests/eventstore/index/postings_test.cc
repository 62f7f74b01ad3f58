#include "eventstore/index/postings.h"

#include <algorithm>
#include <memory>
#include <random>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/format_1_index.h"
#include "tests/support/matchers.h"
#include "tests/support/temp_folder.h"

namespace cairn::postings {
namespace {

using test::succeeds;

class PostingsTest : public testing::Test {
 protected:
  void SetUp() override {
    auto env = lmdb::Env::open(folder_.path(), {.map_bytes = 64u << 20, .tables_max = 2});
    ASSERT_THAT(env, succeeds());
    env_ = *std::move(env);
    const lmdb::TableHandle handle{"postings", &table_};
    ASSERT_THAT(env_->open_tables({&handle, 1}), succeeds());
  }

  void add(const TermView& term, const std::vector<std::uint64_t>& positions) {
    auto txn = env_->begin_write();
    ASSERT_THAT(txn, succeeds());
    const auto code = test::append_postings(txn->get(), table_, term, positions);
    ASSERT_THAT(code, succeeds());
    ASSERT_EQ(*code, 0);
    ASSERT_EQ(txn->commit(), 0);
  }

  std::vector<std::uint64_t> all(const TermView& term) {
    std::vector<std::uint64_t> positions;
    const auto txn = env_->begin_read();
    std::uint64_t last = 0;
    for (;;) {
      const auto chunk = chunk_after(*txn, table_, term, last);
      EXPECT_THAT(chunk, succeeds());
      if (!chunk.ok() || !*chunk) return positions;
      positions.insert(positions.end(), (*chunk)->begin(), (*chunk)->end());
      last = (*chunk)->front();
    }
  }

  test::TempFolder folder_;
  std::unique_ptr<lmdb::Env> env_;
  MDB_dbi table_ = 0;
};

const TermView kOrder{TermKind::kCategory, "order"};

TEST_F(PostingsTest, ManySmallAppendsMakeOneList) {
  std::mt19937_64 random(1);
  std::vector<std::uint64_t> expected;
  std::uint64_t position = 0;
  for (int i = 0; i < 300; ++i) {
    std::vector<std::uint64_t> more;
    for (std::uint64_t n = random() % 60; n > 0; --n) more.push_back(position += 1 + random() % 100'000);
    if (!more.empty()) add(kOrder, more);
    expected.insert(expected.end(), more.begin(), more.end());
  }
  EXPECT_EQ(all(kOrder), expected);
  const auto txn = env_->begin_read();
  for (int i = 0; i < 500; ++i) {
    const std::uint64_t at = random() % (position + 10);
    const auto chunk = chunk_at(*txn, table_, kOrder, at);
    ASSERT_THAT(chunk, succeeds());
    const auto upper = std::upper_bound(expected.begin(), expected.end(), at);
    if (upper == expected.begin()) {
      EXPECT_FALSE(chunk->has_value());
    } else {
      // The greatest position not above `at` is in the chunk.
      EXPECT_TRUE(std::binary_search((*chunk)->begin(), (*chunk)->end(), *std::prev(upper)));
    }
  }
}

TEST_F(PostingsTest, ListsWithSimilarNamesAreSeparate) {
  const TermView longer{TermKind::kCategory, "orders"};
  const TermView type{TermKind::kType, "order"};
  add(kOrder, {1, 5});
  add(longer, {2, 6});
  add(type, {3, 7});
  add(kOrder, {9});
  EXPECT_EQ(all(kOrder), (std::vector<std::uint64_t>{1, 5, 9}));
  EXPECT_EQ(all(longer), (std::vector<std::uint64_t>{2, 6}));
  EXPECT_EQ(all(type), (std::vector<std::uint64_t>{3, 7}));
  EXPECT_TRUE(all({TermKind::kCategory, "orde"}).empty());
}

}  // namespace
}  // namespace cairn::postings
