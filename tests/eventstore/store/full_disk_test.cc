// A full disk: appends fail with kDiskFull, reads continue, and appends succeed again once there is space.

#include <fcntl.h>
#include <unistd.h>

#include <memory>
#include <string>
#include <vector>

#include "tests/support/numbered_events.h"
#include "tests/support/small_disk.h"
#include "tests/support/store_fixture.h"

namespace cairn::test {
namespace {

class FullDiskTest : public ::testing::TestWithParam<SmallDisk::Kind> {
 protected:
  static constexpr std::uint64_t kDiskBytes = 12u << 20;

  void SetUp() override {
    if (!disk_.missing().empty()) GTEST_SKIP() << disk_.missing();
    open();
  }

  void open() {
    StoreOptions options = small_store();
    options.journal_bytes = 256u << 10;
    options.on_fatal = [this](std::string_view reason) { fatal_ = reason; };
    auto opened = EventStore::open(folder(), options);
    ASSERT_THAT(opened, succeeds());
    store_ = *std::move(opened);
  }
  std::filesystem::path folder() const { return disk_.path() / "data"; }

  Result<AppendResult> append_next() {
    auto result = store_->append(request(
        {to("cart-" + std::to_string(next_ % 7), ExpectedVersion::any(), {numbered_event(next_, 3'000)})}));
    if (result.ok()) acknowledged_.push_back(next_);
    ++next_;
    return result;
  }

  // Appends until the disk is full.
  void append_until_full() {
    for (int i = 0; i < 20'000; ++i) {
      auto result = append_next();
      if (result.ok()) continue;
      ASSERT_THAT(result, fails_with(Errc::kDiskFull));
      return;
    }
    FAIL() << "the disk never filled";
  }

  void expect_all_readable() {
    auto events = scan_all(*store_);
    ASSERT_THAT(events, succeeds());
    ASSERT_EQ(events->size(), acknowledged_.size());
    for (std::size_t i = 0; i < acknowledged_.size(); ++i) {
      ASSERT_EQ((*events)[i].id, id(acknowledged_[i]));
      ASSERT_TRUE(is_as_numbered((*events)[i]));
    }
    auto stream = read_whole_stream(*store_, "cart-1", {std::nullopt, Direction::kBackward, 50});
    ASSERT_THAT(stream, succeeds());
    EXPECT_FALSE(stream->empty());
    EXPECT_EQ(store_->head().value, acknowledged_.size());
  }

  void expect_sound() {
    store_.reset();
    auto report = verify_store(folder());
    ASSERT_THAT(report, succeeds());
    EXPECT_TRUE(report->sound()) << report->findings.at(0).place << ": " << report->findings.at(0).what;
    EXPECT_EQ(report->head, acknowledged_.size());
  }

  SmallDisk disk_{GetParam(), kDiskBytes};
  std::string fatal_;
  std::uint64_t next_ = 1;
  std::vector<std::uint64_t> acknowledged_;
  std::unique_ptr<EventStore> store_;
};

INSTANTIATE_TEST_SUITE_P(, FullDiskTest, ::testing::Values(SmallDisk::Kind::kTmpfs, SmallDisk::Kind::kExt4),
                         [](const auto& chosen) {
                           return chosen.param == SmallDisk::Kind::kTmpfs ? "Tmpfs" : "Ext4";
                         });

TEST_P(FullDiskTest, FilledByAForeignFileAppendsResumeWhenItGoes) {
  for (int round = 0; round < 3; ++round) {
    for (int i = 0; i < 20; ++i) ASSERT_THAT(append_next(), succeeds());
    disk_.fill_up();
    append_until_full();
    EXPECT_THAT(append_next(), fails_with(Errc::kDiskFull));
    expect_all_readable();
    disk_.free_up();
    ASSERT_THAT(append_next(), succeeds()) << "without reopening";
    expect_all_readable();
    if (HasFailure()) return;
  }
  EXPECT_EQ(fatal_, "") << "a full disk is no reason to stop";
  expect_sound();
  open();
  expect_all_readable();
}

TEST_P(FullDiskTest, FilledByItsOwnAppendsItStaysReadableAndOpensAgain) {
  append_until_full();
  EXPECT_THAT(append_next(), fails_with(Errc::kDiskFull));
  expect_all_readable();
  expect_sound();
  open();
  if (HasFatalFailure()) return;
  expect_all_readable();
  EXPECT_EQ(fatal_, "");
}

// A copy of the folder may have holes where the journal had zeros: its blocks are not allocated any more.
TEST_P(FullDiskTest, ASparseJournalIsRefusedSpaceAndUsedWhenThereIsSome) {
  for (int i = 0; i < 20; ++i) ASSERT_THAT(append_next(), succeeds());
  store_.reset();
  const std::filesystem::path journal = folder() / "log" / "journal";
  const int fd = ::open(journal.c_str(), O_RDWR | O_CLOEXEC);
  ASSERT_EQ(::fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 4096,
                        static_cast<off_t>(std::filesystem::file_size(journal)) - 4096),
            0);
  ::close(fd);
  disk_.fill_up();
  open();
  if (HasFatalFailure()) return;
  append_until_full();
  EXPECT_THAT(append_next(), fails_with(Errc::kDiskFull));
  expect_all_readable();
  disk_.free_up();
  ASSERT_THAT(append_next(), succeeds()) << "without reopening";
  EXPECT_EQ(fatal_, "");
  expect_all_readable();
  expect_sound();
}

TEST_P(FullDiskTest, AFlushWithoutSpaceFailsOrWaitsAndLosesNothing) {
  for (int i = 0; i < 300; ++i) ASSERT_THAT(append_next(), succeeds());
  disk_.fill_up();
  auto flushed = store_->flush_index();
  EXPECT_TRUE(flushed.ok() || flushed.error().code == Errc::kDiskFull) << to_string(flushed.error().code);
  expect_all_readable();
  disk_.free_up();
  EXPECT_THAT(store_->flush_index(), succeeds());
  ASSERT_THAT(append_next(), succeeds());
  expect_all_readable();
  expect_sound();
}

TEST_P(FullDiskTest, ALargeAppendThatDoesNotFitLeavesRoomForSmallOnes) {
  for (int i = 0; i < 20; ++i) ASSERT_THAT(append_next(), succeeds());
  std::vector<NewEvent> large(15, sized_event(1u << 20));
  EXPECT_THAT(store_->append(request({to("large-1", ExpectedVersion::any(), large)})),
              fails_with(Errc::kDiskFull));
  ASSERT_THAT(append_next(), succeeds());
  expect_all_readable();
  expect_sound();
}

}  // namespace
}  // namespace cairn::test
