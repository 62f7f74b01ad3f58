#include "eventstore/base/pointer_table.h"

#include <gtest/gtest.h>

#include <deque>
#include <random>
#include <unordered_map>

namespace cairn {
namespace {

class PointerTableTest : public ::testing::Test {
 protected:
  void insert(std::uint64_t hash, int value) { table_.insert(hash, &values_.emplace_back(value)); }
  bool has(std::uint64_t hash, int value) const {
    const int* const found = table_.find(hash, [value](int is) { return is == value; });
    return found != nullptr && *found == value;
  }

  std::deque<int> values_;
  PointerTable<int> table_;
};

TEST_F(PointerTableTest, FindsNothingInAnEmptyTable) {
  EXPECT_FALSE(has(0, 0));
  table_.prefetch(7);
  table_.prefetch_object(7);
}

TEST_F(PointerTableTest, DistinguishesObjectsWithEqualHashes) {
  for (int value = 0; value < 100; ++value) insert(42, value);
  for (int value = 0; value < 100; ++value) EXPECT_TRUE(has(42, value)) << value;
  EXPECT_FALSE(has(42, 100));
  EXPECT_FALSE(has(43, 1)) << "it is in the table, but under another hash";
}

TEST_F(PointerTableTest, KeepsAllObjectsWhileItGrows) {
  std::mt19937_64 random(1);
  std::unordered_map<int, std::uint64_t> hashes;
  for (int value = 0; value < 10'000; ++value) {
    hashes[value] = random() << (value % 60);  // many with equal low bits, which select the slot
    insert(hashes[value], value);
  }
  for (const auto& [value, hash] : hashes) ASSERT_TRUE(has(hash, value)) << value;
  EXPECT_FALSE(has(random() | 1, -1));
}

TEST_F(PointerTableTest, IsEmptyAndUsableAfterClear) {
  for (int round = 0; round < 12; ++round) {
    const int count = round == 0 ? 5'000 : 3;  // clear() halves the memory of the first round step by step
    for (int value = 0; value < count; ++value) insert(static_cast<std::uint64_t>(value), value);
    for (int value = 0; value < count; ++value) EXPECT_TRUE(has(static_cast<std::uint64_t>(value), value));
    table_.clear();
    for (int value = 0; value < count; ++value) EXPECT_FALSE(has(static_cast<std::uint64_t>(value), value));
  }
}

}  // namespace
}  // namespace cairn
