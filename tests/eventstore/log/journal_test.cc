#include "eventstore/log/journal.h"

#include <fstream>
#include <string_view>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "eventstore/format/block_builder.h"
#include "tests/support/matchers.h"
#include "tests/support/temp_folder.h"

namespace cairn {
namespace {

using test::fails_with;
using test::succeeds;

class JournalTest : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_THAT(Journal::create(file(), 2 * kHalf), succeeds());
    reopen();
  }

  std::filesystem::path file() const { return folder_ / "journal"; }

  void reopen() {
    journal_.reset();
    auto journal = Journal::open(file(), Journal::Access::kReadWrite);
    ASSERT_THAT(journal, succeeds());
    journal_ = *std::move(journal);
  }

  Journal::Block block(std::uint64_t first, std::size_t data_bytes = 100) {
    const std::string data(data_bytes, 'd');
    const std::vector<std::string_view> names{"s-1"};
    const std::vector<BlockContents::Event> events{
        {0, 0, {.event = {.position = {first}, .stream = names[0], .type = names[0], .data = data}}}};
    return *BlockCopy::of(builder_.build(
        {.first_position = {first}, .epoch = 1, .streams = names, .types = names, .events = events}));
  }

  // Writes a block, and switches halves when the active one is full.
  void write(std::uint64_t first) {
    const auto copy = block(first);
    if (!journal_->has_room(*copy)) journal_->switch_half(journal_->other_half_end());
    ASSERT_THAT(journal_->write(*copy), succeeds());
  }

  std::vector<std::uint64_t> found_after(std::uint64_t end) {
    const auto blocks = journal_->blocks_after({{end}});
    EXPECT_THAT(blocks, succeeds());
    std::vector<std::uint64_t> positions;
    if (blocks.ok()) {
      for (const auto& found : *blocks) positions.push_back(found->first_position().value);
    }
    return positions;
  }

  // Overwrites a byte of page `page` of the file.
  void damage(std::uint64_t page, std::uint64_t offset) {
    std::fstream stream(file(), std::ios::in | std::ios::out | std::ios::binary);
    stream.seekp(static_cast<std::streamoff>(page * BlockCopy::kPageBytes + offset));
    stream.put('\x5A');
  }

  static constexpr std::uint64_t kHalf = 4 * BlockCopy::kPageBytes;
  test::TempFolder folder_;
  std::unique_ptr<Journal> journal_;
  BlockBuilder builder_;
};

TEST_F(JournalTest, ReturnsTheBlocksAfterAPosition) {
  for (std::uint64_t i = 1; i <= 6; ++i) write(i);
  reopen();
  EXPECT_EQ(found_after(0), (std::vector<std::uint64_t>{1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(found_after(4), (std::vector<std::uint64_t>{5, 6}));
  EXPECT_TRUE(found_after(6).empty());
}

TEST_F(JournalTest, IgnoresBlocksOfEarlierRounds) {
  for (std::uint64_t i = 1; i <= 10; ++i) write(i);  // from 9 on the first half is overwritten
  reopen();
  EXPECT_EQ(found_after(8), (std::vector<std::uint64_t>{9, 10}));
  EXPECT_EQ(found_after(4), (std::vector<std::uint64_t>{5, 6, 7, 8, 9, 10}));
}

TEST_F(JournalTest, IgnoresATornLastBlock) {
  for (std::uint64_t i = 1; i <= 3; ++i) write(i);
  damage(3, 100);
  reopen();
  EXPECT_EQ(found_after(0), (std::vector<std::uint64_t>{1, 2}));
}

// A block with valid ones after it was acknowledged: this is damage, and not the end of the journal.
TEST_F(JournalTest, ReportsADamagedBlockBeforeAValidOne) {
  for (std::uint64_t i = 1; i <= 3; ++i) write(i);
  damage(2, 100);
  reopen();
  const auto blocks = journal_->blocks_after({});
  ASSERT_THAT(blocks, fails_with(Errc::kCorruption));
  EXPECT_EQ(blocks.error().position, 2u);
}

TEST_F(JournalTest, AMissingTruncatedOrForeignFileIsDamage) {
  damage(0, 1);
  EXPECT_THAT(Journal::open(file(), Journal::Access::kReadWrite), fails_with(Errc::kCorruption));
  ASSERT_THAT(Journal::create(file(), 2 * kHalf), succeeds());
  std::filesystem::resize_file(file(), kHalf);
  EXPECT_THAT(Journal::open(file(), Journal::Access::kReadWrite), fails_with(Errc::kCorruption));
  std::filesystem::resize_file(file(), 0);
  EXPECT_THAT(Journal::open(file(), Journal::Access::kReadWrite), fails_with(Errc::kCorruption));
  std::filesystem::remove(file());
  EXPECT_THAT(Journal::open(file(), Journal::Access::kReadWrite), fails_with(Errc::kCorruption));
}

}  // namespace
}  // namespace cairn
