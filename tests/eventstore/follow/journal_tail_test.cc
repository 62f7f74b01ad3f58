#include "eventstore/follow/journal_tail.h"

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

using test::succeeds;
using testing::ElementsAre;
using testing::IsEmpty;

class JournalTailTest : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_THAT(Journal::create(file(), 2 * kHalf), succeeds());
    open_journal();
    auto tail = JournalTail::open(file());
    ASSERT_THAT(tail, succeeds());
    tail_ = *std::move(tail);
  }

  std::filesystem::path file() const { return folder_ / "journal"; }

  // As a restarted writer does: it begins at the start of the first half.
  void open_journal() {
    journal_.reset();
    auto journal = Journal::open(file(), Journal::Access::kReadWrite);
    ASSERT_THAT(journal, succeeds());
    journal_ = *std::move(journal);
  }

  void write(std::uint64_t first, std::size_t data_bytes = 100) {
    const std::string data(data_bytes, 'd');
    const std::vector<std::string_view> names{"s-1"};
    const std::vector<BlockContents::Event> events{
        {0, 0, {.event = {.position = {first}, .stream = names[0], .type = names[0], .data = data}}}};
    const auto copy = *BlockCopy::of(builder_.build(
        {.first_position = {first}, .epoch = 1, .streams = names, .types = names, .events = events}));
    if (!journal_->has_room(*copy)) journal_->switch_half(journal_->other_half_end());
    ASSERT_THAT(journal_->write(*copy), succeeds());
  }

  // The positions among 1 … 100 whose blocks are found, by a reader that has all up to `known`.
  std::vector<std::uint64_t> found(std::uint64_t known) {
    EXPECT_THAT(tail_->poll({{known}}), succeeds());
    std::vector<std::uint64_t> positions;
    for (std::uint64_t p = 1; p <= 100; ++p) {
      if (tail_->after({{p - 1}}) != nullptr) positions.push_back(p);
    }
    return positions;
  }

  // Flips a bit of page `page` of the file; a second call restores it.
  void flip(std::uint64_t page, std::uint64_t offset) {
    std::fstream stream(file(), std::ios::in | std::ios::out | std::ios::binary);
    const auto at = static_cast<std::streamoff>(page * BlockCopy::kPageBytes + offset);
    stream.seekg(at);
    const int old = stream.get();
    stream.seekp(at);
    stream.put(static_cast<char>(old ^ 0x20));
  }

  static constexpr std::uint64_t kHalf = 80 * BlockCopy::kPageBytes;
  test::TempFolder folder_;
  std::unique_ptr<Journal> journal_;
  std::unique_ptr<JournalTail> tail_;
  BlockBuilder builder_;
};

TEST_F(JournalTailTest, FindsEachBlockAsItIsWritten) {
  EXPECT_THAT(found(0), IsEmpty());
  write(1);
  EXPECT_THAT(found(0), ElementsAre(1));
  write(2);
  write(3);
  EXPECT_THAT(found(1), ElementsAre(2, 3));
  EXPECT_THAT(found(3), IsEmpty());
}

TEST_F(JournalTailTest, FindsABlockLargerThanItsWindow) {
  write(1);
  write(2, 200'000);
  write(3);
  EXPECT_THAT(found(0), ElementsAre(1, 2, 3));
}

TEST_F(JournalTailTest, ContinuesInTheOtherHalfAndTheNextRound) {
  for (std::uint64_t p = 1; p <= 90; ++p) {
    write(p, 20'000);  // thirteen blocks fill a half
    EXPECT_THAT(found(p - 1), ElementsAre(p));
  }
}

TEST_F(JournalTailTest, AReaderThatMissedRoundsFindsTheBlocksThatAreLeft) {
  write(1);
  EXPECT_THAT(found(0), ElementsAre(1));
  for (std::uint64_t p = 2; p <= 60; ++p) write(p, 20'000);
  // The last complete round of one half, and the blocks written to the other.
  const auto positions = found(40);
  ASSERT_FALSE(positions.empty());
  EXPECT_EQ(positions.back(), 60u);
  for (std::size_t i = 1; i < positions.size(); ++i) EXPECT_EQ(positions[i], positions[i - 1] + 1);
}

TEST_F(JournalTailTest, ATornBlockIsFoundWhenItIsComplete) {
  write(1);
  write(2, 10'000);
  flip(3, 500);  // the second page of block 2
  EXPECT_THAT(found(0), ElementsAre(1));
  flip(3, 500);
  EXPECT_THAT(found(1), ElementsAre(2));
}

TEST_F(JournalTailTest, ARestartedWriterIsFoundAtTheStart) {
  for (std::uint64_t p = 1; p <= 5; ++p) write(p);
  EXPECT_THAT(found(0), ElementsAre(1, 2, 3, 4, 5));
  open_journal();
  write(6);
  EXPECT_THAT(found(5), ElementsAre(6)) << "what is left of the first writer is not new";
  write(7);
  EXPECT_THAT(found(6), ElementsAre(7));
}

}  // namespace
}  // namespace cairn
