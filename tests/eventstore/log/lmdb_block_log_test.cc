#include "eventstore/log/lmdb_block_log.h"

#include <fcntl.h>
#include <sys/resource.h>

#include <algorithm>
#include <cstring>
#include <string_view>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "eventstore/base/file.h"
#include "eventstore/format/block_builder.h"
#include "eventstore/format/block_reader.h"
#include "tests/support/matchers.h"
#include "tests/support/temp_folder.h"

namespace cairn {
namespace {

using test::fails_with;
using test::succeeds;

class LmdbBlockLogTest : public testing::Test {
 protected:
  explicit LmdbBlockLogTest(test::Medium medium = test::Medium::kMemory) : folder_(medium) {}

  void SetUp() override {
    ASSERT_THAT(LmdbBlockLog::create(folder_.path(), kOptions), succeeds());
    reopen();
  }

  void reopen() {
    log_.reset();
    auto log = LmdbBlockLog::open(folder_.path(), kOptions);
    ASSERT_THAT(log, succeeds());
    log_ = *std::move(log);
  }

  Status append(std::uint64_t first, std::uint64_t count, std::uint64_t epoch = 1,
                std::size_t data_bytes = 20) {
    const std::string data(data_bytes, 'd');
    const std::vector<std::string_view> names{"s-1"};
    std::vector<BlockContents::Event> events;
    for (std::uint64_t i = 0; i < count; ++i) {
      events.push_back(
          {0, 0, {.event = {.position = {first + i}, .stream = names[0], .type = names[0], .data = data}}});
    }
    const auto block = builder_.build(
        {.first_position = {first}, .epoch = epoch, .streams = names, .types = names, .events = events});
    return log_->append({{first - 1}}, epoch, block);
  }

  std::uint64_t seek(std::uint64_t position) {
    const auto cursor = log_->cursor();
    const auto found = (*cursor)->seek({position});
    EXPECT_THAT(found, succeeds());
    return found.ok() && *found ? (*found)->first_position.value : 0;
  }

  // Reads the pages of a block, and returns how many of them this thread had to wait for.
  static long major_faults_of(std::span<const std::byte> block) {
    const auto count = [] {
      rusage usage{};
      getrusage(RUSAGE_THREAD, &usage);
      return usage.ru_majflt;
    };
    const long before = count();
    for (std::size_t i = 0; i < block.size(); i += 512)
      static_cast<void>(*const_cast<const volatile std::byte*>(&block[i]));
    return count() - before;
  }

  static constexpr LmdbBlockLogOptions kOptions{.map_bytes = 1u << 20, .journal_bytes = 64u << 10};
  test::TempFolder folder_;
  std::unique_ptr<LmdbBlockLog> log_;
  BlockBuilder builder_;
};

// On a disk, whose pages can be dropped from memory.
class ColdBlockLogTest : public LmdbBlockLogTest {
 protected:
  ColdBlockLogTest() : LmdbBlockLogTest(test::Medium::kDisk) {}

  // Opens the log with nothing of it in the page cache.
  void reopen_cold() {
    log_.reset();
    {
      const auto file = File::open(folder_.path() / "data.mdb", O_RDONLY);
      ASSERT_THAT(file, succeeds());
      ASSERT_EQ(fdatasync(file->descriptor()), 0);
      ASSERT_EQ(posix_fadvise(file->descriptor(), 0, 0, POSIX_FADV_DONTNEED), 0);
    }
    reopen();
  }
};

TEST_F(LmdbBlockLogTest, FindsTheBlockOfAPosition) {
  ASSERT_THAT(append(1, 3), succeeds());
  ASSERT_THAT(append(4, 300), succeeds());
  ASSERT_THAT(append(304, 1), succeeds());
  reopen();
  EXPECT_EQ(seek(1), 1u);
  EXPECT_EQ(seek(3), 1u);
  EXPECT_EQ(seek(4), 4u);
  EXPECT_EQ(seek(303), 4u);
  EXPECT_EQ(seek(304), 304u);
  EXPECT_EQ(seek(9'999), 304u);
  EXPECT_EQ(seek(0), 0u);
}

TEST_F(LmdbBlockLogTest, RefusesABlockThatDoesNotFollow) {
  ASSERT_THAT(append(1, 3), succeeds());
  EXPECT_THAT(append(3, 1), fails_with(Errc::kFailedPrecondition));
  EXPECT_THAT(append(5, 1), fails_with(Errc::kFailedPrecondition));
  EXPECT_THAT(append(4, 1), succeeds());
}

TEST_F(LmdbBlockLogTest, RefusesAWriterOfAnEarlierEpoch) {
  ASSERT_THAT(append(1, 1, 5), succeeds());
  EXPECT_THAT(append(2, 1, 4), fails_with(Errc::kFailedPrecondition));
  EXPECT_THAT(append(2, 1, 5), succeeds());
  EXPECT_THAT(append(3, 1, 6), succeeds());
}

// LMDB stores small blocks in leaf pages and large ones in overflow pages. Both are read in place, so both
// must be aligned.
TEST_F(LmdbBlockLogTest, BlocksAreAlignedInTheMap) {
  std::uint64_t next = 1;
  for (const std::size_t bytes : {1u, 100u, 333u, 1'500u, 2'100u, 5'000u, 70'001u}) {
    for (int i = 0; i < 20; ++i) ASSERT_THAT(append(next++, 1, 1, bytes), succeeds());
  }
  reopen();
  const auto cursor = log_->cursor();
  auto found = (*cursor)->seek({1});
  for (std::uint64_t count = 1; count < next; ++count) {
    ASSERT_TRUE(found.ok() && found->has_value());
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>((*found)->bytes.data()) % 8, 0u);
    found = (*cursor)->next();
  }
}

TEST_F(LmdbBlockLogTest, TheMapGrowsAutomatically) {
  for (std::uint64_t i = 1; i <= 100; ++i) ASSERT_THAT(append(i, 1, 1, 100'000), succeeds());
  EXPECT_GT(log_->used_bytes(), 10'000'000u);
  reopen();
  EXPECT_EQ(seek(100), 100u);
}

// A fault reads one page, which is right for a stream and would make a scan of a cold log as slow as random
// reads.
TEST_F(ColdBlockLogTest, AScanReadsAheadAndARandomReadDoesNot) {
  constexpr std::uint64_t kBlocks = 120, kBlockEvents = 100;
  for (std::uint64_t i = 0; i < kBlocks; ++i) {
    ASSERT_THAT(append(i * kBlockEvents + 1, kBlockEvents, 1, 2'000), succeeds());
  }
  reopen_cold();
  long at_random = 0;
  for (std::uint64_t i = kBlocks; i-- > 0;) {
    const auto cursor = log_->cursor();
    const auto found = (*cursor)->seek({i * kBlockEvents + 1});
    ASSERT_TRUE(found.ok() && found->has_value());
    at_random += major_faults_of((*found)->bytes);
  }
  if (at_random < 1'000)
    GTEST_SKIP() << "the file system of " << folder_.path() << " keeps all pages in memory";

  reopen_cold();
  long in_scan = 0;
  const auto cursor = log_->cursor();
  auto found = (*cursor)->seek({1});
  for (std::uint64_t i = 0; i < kBlocks; ++i) {
    ASSERT_TRUE(found.ok() && found->has_value());
    in_scan += major_faults_of((*found)->bytes);
    found = (*cursor)->next();
  }
  EXPECT_LT(in_scan, at_random / 5) << "of " << at_random;
}

// Blocks move from the journal to LMDB while a cursor is open. The cursor misses none and returns none twice.
TEST_F(LmdbBlockLogTest, ACursorSeesEveryBlockOnceWhileBlocksSettle) {
  constexpr std::uint64_t kBlocks = 400;
  for (std::uint64_t i = 1; i <= 5; ++i) ASSERT_THAT(append(i, 1), succeeds());
  std::jthread writer([&] {
    for (std::uint64_t i = 6; i <= kBlocks; ++i)
      ASSERT_THAT(append(i, 1, 1, i % 50 == 0 ? 200'000 : 3'000), succeeds());
  });
  for (std::uint64_t seen = 0; seen < kBlocks;) {
    const auto cursor = log_->cursor();  // used until there are no more blocks; then a new one is opened
    auto found = (*cursor)->seek({std::max<std::uint64_t>(seen, 1)});
    if (seen > 0) found = (*cursor)->next();
    for (; found.ok() && *found; found = (*cursor)->next()) ASSERT_EQ((*found)->first_position.value, ++seen);
    ASSERT_THAT(found, succeeds());
  }
}

}  // namespace
}  // namespace cairn
