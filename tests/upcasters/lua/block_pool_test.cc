#include "upcasters/lua/block_pool.h"

#include <gtest/gtest.h>

#include <cstring>
#include <vector>

#include "tests/support/random.h"

namespace cairn::test {
namespace {

constexpr std::size_t kPlenty = 64u << 20;

struct Block {
  unsigned char* bytes = nullptr;
  std::size_t size = 0;
  unsigned char mark = 0;
};

void fill(Block& block, unsigned char mark) {
  block.mark = mark;
  std::memset(block.bytes, mark, block.size);
}

bool is_whole(const Block& block, std::size_t size) {
  for (std::size_t i = 0; i < size; ++i) {
    if (block.bytes[i] != block.mark) return false;
  }
  return true;
}

TEST(BlockPoolTest, BlocksKeepTheirContent) {
  Random random("BlockPoolTest");
  BlockPool pool(kPlenty);
  std::vector<Block> blocks(2'000);
  for (int i = 0; i < 200'000; ++i) {
    Block& block = blocks[random.below(blocks.size())];
    ASSERT_TRUE(is_whole(block, block.size));
    const std::size_t size = random.one_in(20) ? random.between(1, 5'000) : random.between(0, 600);
    if (size == 0) {
      pool.free(block.bytes, block.size);
      block = {};
      continue;
    }
    const std::size_t kept = std::min(size, block.size);
    auto* const resized = static_cast<unsigned char*>(pool.resize(block.bytes, block.size, size));
    ASSERT_NE(resized, nullptr);
    ASSERT_EQ(reinterpret_cast<std::uintptr_t>(resized) % 16, 0u);
    block.bytes = resized;
    block.size = size;
    ASSERT_TRUE(is_whole(block, kept));
    fill(block, static_cast<unsigned char>(random.below(256)));
  }
  for (Block& block : blocks) {
    ASSERT_TRUE(is_whole(block, block.size));
    pool.free(block.bytes, block.size);
  }
}

TEST(BlockPoolTest, ChunksThatAreEmptyServeOtherSizes) {
  BlockPool pool(kPlenty);
  std::size_t most = 0;
  for (const std::size_t size : {16, 48, 100, 512}) {
    std::vector<void*> blocks;
    for (std::size_t bytes = 0; bytes < (8u << 20); bytes += size)
      blocks.push_back(pool.resize(nullptr, 0, size));
    most = std::max(most, pool.chunk_bytes());
    for (void* const block : blocks) pool.free(block, size);
  }
  EXPECT_LT(most, 11u << 20) << "what one size has left must not be kept from the next";
  EXPECT_LT(pool.chunk_bytes(), 2u << 20);
}

TEST(BlockPoolTest, ChunksAreBounded) {
  BlockPool pool(1u << 20);
  std::vector<void*> blocks;
  while (void* const block = pool.resize(nullptr, 0, 100)) blocks.push_back(block);
  EXPECT_GT(blocks.size() * 112, 900u << 10);
  EXPECT_LE(pool.chunk_bytes(), 1u << 20);
  EXPECT_EQ(pool.resize(blocks.back(), 100, 300), nullptr) << "and the block stays as it is";
  void* const large = pool.resize(nullptr, 0, 1'000);
  EXPECT_NE(large, nullptr) << "which comes from elsewhere";
  pool.free(large, 1'000);
  for (void* const block : blocks) pool.free(block, 100);
  void* const again = pool.resize(nullptr, 0, 300);
  EXPECT_NE(again, nullptr);
  pool.free(again, 300);
}

}  // namespace
}  // namespace cairn::test
