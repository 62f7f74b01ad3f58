#include "eventstore/index/tail.h"

#include <malloc.h>

#include <gtest/gtest.h>

#include <string>

#include "tests/support/random.h"
#include "tests/support/scale.h"

namespace cairn::test {
namespace {

// Fills a tail with blocks of `kEvents` events, each in a new stream of its own.
class TailTest : public ::testing::Test {
 protected:
  static constexpr std::size_t kEvents = 1'000;

  struct Names {
    std::size_t name_bytes = 20;
    bool own_categories = false;
    bool ids = true;
  };

  void add_block(const Names& names) {
    std::vector<std::string> texts;
    BlockSummary block;
    block.first_position = {next_};
    block.recorded_at = {1'000'000};
    block.types = {"Placed"};
    for (std::size_t i = 0; i < kEvents; ++i) {
      std::string text = std::to_string(next_ + i);
      text.resize(names.name_bytes, 'x');
      texts.push_back(names.own_categories ? text : "order-" + text);
    }
    for (std::size_t i = 0; i < kEvents; ++i) {
      StreamHead head;
      head.advance({next_ + i}, block.recorded_at);
      block.streams.push_back({.name = std::string_view(texts[i]), .head = head, .created = true});
      block.events.push_back({.stream = static_cast<std::uint32_t>(i), .type = 0});
      if (names.ids) block.ids.push_back({random_id(), {next_ + i}});
    }
    next_ += kEvents;
    tail_.apply(block);
  }

  Uuid random_id() {
    Uuid id{};
    for (auto& byte : id.bytes) byte = static_cast<std::uint8_t>(random_.next());
    return id;
  }

  // The ratio of the memory that the tail says it takes to what the allocator gave.
  double counted_share(const Names& names) {
    const auto before = mallinfo2();
    for (int i = 0; i < 200; ++i) add_block(names);
    const auto after = mallinfo2();
    const auto given = (after.uordblks + after.hblkhd) - (before.uordblks + before.hblkhd);
    return static_cast<double>(tail_.sizes().all.bytes) / static_cast<double>(given);
  }

  Tail tail_;
  Random random_{1};
  std::uint64_t next_ = 1;
};

TEST_F(TailTest, CountsItsMemoryWithinAThird) {
  if (kSanitizerDivisor > 1) GTEST_SKIP() << "a sanitizer has an allocator of its own";
  for (const Names& names : {Names{}, Names{.ids = false}, Names{.name_bytes = 200, .own_categories = true},
                             Names{.name_bytes = 36, .own_categories = true, .ids = false}}) {
    tail_.freeze();
    tail_.drop_frozen(0);
    const double share = counted_share(names);
    EXPECT_GT(share, 0.67) << names.name_bytes;
    EXPECT_LT(share, 1.5) << names.name_bytes;
  }
}

TEST_F(TailTest, CountsEveryGenerationUntilItIsFreed) {
  add_block({});
  const std::size_t one = tail_.sizes().all.bytes;
  ASSERT_NE(tail_.freeze(), nullptr);
  add_block({});
  EXPECT_EQ(tail_.sizes().all.events, 2 * kEvents);
  EXPECT_EQ(tail_.sizes().active.events, kEvents);
  EXPECT_GT(tail_.sizes().all.bytes, one);
  tail_.drop_frozen(one);
  EXPECT_EQ(tail_.sizes().all.events, kEvents);
  EXPECT_GT(tail_.sizes().all.bytes, tail_.sizes().active.bytes) << "the cache counts";
  ASSERT_NE(tail_.freeze(), nullptr);
  tail_.drop_frozen(one / 2);
  EXPECT_EQ(tail_.sizes().all.bytes, tail_.sizes().active.bytes) << "too large to be a cache";
}

}  // namespace
}  // namespace cairn::test
