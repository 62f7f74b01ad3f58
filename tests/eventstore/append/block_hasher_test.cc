#include "eventstore/append/block_hasher.h"

#include <atomic>
#include <cstddef>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "tests/support/random.h"

namespace cairn::test {
namespace {

std::vector<std::byte> bytes_of(Random& random, std::size_t count) {
  std::vector<std::byte> bytes(count);
  for (std::byte& byte : bytes) byte = static_cast<std::byte>(random.next());
  return bytes;
}

// Whichever thread computes it.
TEST(BlockHasherTest, FinishReturnsTheHashOfSmallAndLargeBlocks) {
  Random random("BlockHasherTest");
  BlockHasher hasher;
  for (int i = 0; i < 300; ++i) {
    const auto block = bytes_of(random, random.one_in(2) ? random.below(300'000) : random.below(10'000));
    hasher.start(block);
    if (random.one_in(2)) std::this_thread::yield();
    ASSERT_EQ(hasher.finish(), sha256(block)) << "block " << i << " of " << block.size() << " bytes";
  }
}

TEST(BlockHasherTest, AWaiterHashesAnOfferedBlockOnce) {
  Random random("BlockHasherTest");
  BlockHasher hasher;
  EXPECT_FALSE(hasher.help());
  const auto block = bytes_of(random, 5'000);
  hasher.start(block);
  EXPECT_TRUE(hasher.help());
  EXPECT_FALSE(hasher.help()) << "done already";
  EXPECT_EQ(hasher.finish(), sha256(block));
  EXPECT_FALSE(hasher.help()) << "no block is offered";
}

TEST(BlockHasherTest, HelpIsSafeFromSeveralThreads) {
  Random random("BlockHasherTest");
  BlockHasher hasher;
  std::atomic<bool> stop = false;
  std::atomic<int> helped = 0;
  std::vector<std::jthread> helpers;
  for (int i = 0; i < 3; ++i) {
    helpers.emplace_back([&] {
      while (!stop) {
        if (hasher.help()) ++helped;
      }
    });
  }
  for (int i = 0; i < 2'000 || helped == 0; ++i) {
    const auto block = bytes_of(random, random.one_in(50) ? 100'000 : 1 + random.below(5'000));
    hasher.start(block);
    ASSERT_EQ(hasher.finish(), sha256(block)) << "block " << i << " of " << block.size() << " bytes";
  }
  stop = true;
}

TEST(BlockHasherTest, CanBeDestroyedBetweenStartAndFinish) {
  Random random("BlockHasherTest");
  const auto block = bytes_of(random, 1'000'000);
  for (int i = 0; i < 50; ++i) {
    BlockHasher hasher;
    hasher.start(block);
    if (random.one_in(2)) std::this_thread::yield();
  }
}

TEST(BlockHasherTest, SmallBlocksNeedNoThread) {
  Random random("BlockHasherTest");
  const BlockHasher unused;
  BlockHasher hasher;
  const auto block = bytes_of(random, 100);
  hasher.start(block);
  EXPECT_EQ(hasher.finish(), sha256(block));
}

}  // namespace
}  // namespace cairn::test
