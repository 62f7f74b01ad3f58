// A log that is replaced by another one is detected and reported, without a crash.

#include "eventstore/follow/followed_log.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <string>

#include "eventstore/base/endian.h"
#include "eventstore/base/file.h"
#include "eventstore/recovery/data_folder.h"
#include "tests/eventstore/follow/follow_fixture.h"

namespace cairn::test {
namespace {

// On a disk, where LMDB's commits are slower than the journal, so that unsettled blocks exist.
class FollowedLogTest : public FollowTest {
 protected:
  // Appends in another process, which then closes the store.
  void append(std::uint64_t events = 1) {
    ChildProcess writer({{test_program("store_child").string(), folder().string()}, {}});
    ASSERT_EQ(writer.ask("open"), "ok");
    for (; events > 0; --events) {
      ASSERT_THAT(writer.ask("append s-1 any " + std::to_string(++number_) + " 1 10"),
                  ::testing::StartsWith("ok"));
    }
    writer.close_input();
    writer.wait();
  }

  // Kills busy writers so that the newest events are in the journal only, and opens the log. If they were
  // just settled, it tries again.
  void leave_some_in_journal() {
    for (int attempt = 0; attempt < 50; ++attempt) {
      log_.reset();
      const auto writer = start_writer({.writers = 2});
      hear(*writer, 50);
      kill(*writer);
      open_log();
      if (end() < acknowledged_.last()) return;
    }
    FAIL() << "every block was settled before its writer was killed";
  }

  void open_log() {
    const auto store = DataFolder::inspect(folder());
    ASSERT_THAT(store, succeeds());
    auto log = FollowedLog::open(store->log(), store->store_id(), {});
    ASSERT_THAT(log, succeeds());
    log_ = *std::move(log);
  }
  Status poll() {
    return log_->poll(FollowedLog::LastBlock::kSync,
                      [](BlockReader&, std::span<const std::byte>) -> Result<bool> { return true; });
  }
  std::uint64_t end() const { return log_->end().last_position.value; }

  // Writes the bytes of `from` over the file `to`, which stays the same file.
  static void write_over(const std::filesystem::path& from, const std::filesystem::path& to) {
    const auto bytes = read_file(from);
    ASSERT_THAT(bytes, succeeds());
    const auto file = File::open(to, O_WRONLY);
    ASSERT_THAT(file, succeeds());
    ASSERT_EQ(pwrite(file->descriptor(), bytes->data(), bytes->size(), 0),
              static_cast<ssize_t>(bytes->size()));
  }
  // Empties the journal. Removes the index too, which may have its events.
  void empty_journal() {
    std::string bytes = *read_file(journal());
    std::fill(bytes.begin() + BlockCopy::kPageBytes, bytes.end(), '\0');
    ASSERT_THAT(write_file(copy_ / "empty", bytes), succeeds());
    write_over(copy_ / "empty", journal());
    std::filesystem::remove_all(folder() / "index");
  }
  std::filesystem::path journal() const { return folder() / "log" / "journal"; }

  TempFolder copy_{Medium::kDisk};
  std::unique_ptr<FollowedLog> log_;
  std::uint64_t number_ = 0;  // of the last event that append() made
};

TEST_F(FollowedLogTest, TakesBlocksFromLmdbAndTheJournal) {
  leave_some_in_journal();
  ASSERT_THAT(poll(), succeeds());
  const std::uint64_t seen = end();
  EXPECT_GE(seen, acknowledged_.last());
  append();
  ASSERT_THAT(poll(), succeeds());
  EXPECT_EQ(end(), seen + 1);
}

TEST_F(FollowedLogTest, ALogThatBecameShorterIsCorruption) {
  append();
  copy_folder(folder(), copy_.path());
  append();
  open_log();
  ASSERT_THAT(poll(), succeeds());
  EXPECT_EQ(end(), 2u);
  for (const char* name : {"data.mdb", "journal"}) {
    write_over(copy_ / "log" / name, folder() / "log" / name);
  }
  EXPECT_THAT(poll(), fails_with(Errc::kCorruption));
  EXPECT_EQ(end(), 2u);
}

// An event that was seen is lost with the journal, and another one is appended at its position.
TEST_F(FollowedLogTest, AnotherEventAtASeenPositionIsCorruption) {
  leave_some_in_journal();
  ASSERT_THAT(poll(), succeeds());
  const std::uint64_t seen = end();
  empty_journal();
  ASSERT_THAT(poll(), succeeds()) << "LMDB still has all of its blocks";
  EXPECT_EQ(end(), seen) << "a block that was taken stays readable";
  append();
  EXPECT_THAT(poll(), fails_with(Errc::kCorruption));
}

TEST_F(FollowedLogTest, ALogThatContinuesFromAnotherEventIsCorruption) {
  leave_some_in_journal();
  const std::uint64_t settled = end();
  ASSERT_THAT(poll(), succeeds());
  const std::uint64_t seen = end();
  empty_journal();
  append(seen - settled + 2);
  EXPECT_THAT(poll(), fails_with(Errc::kCorruption));
  EXPECT_EQ(end(), seen);
}

TEST_F(FollowedLogTest, ADamagedBlockInTheJournalIsNeverTaken) {
  leave_some_in_journal();
  const std::string sound = *read_file(journal());
  std::string damaged = sound;
  std::size_t newest = 0;
  const auto first_in = [&](std::size_t page) {
    return damaged.compare(page, 4, "CRNB") == 0 ? load_le<std::uint64_t>(damaged.data() + page + 8) : 0;
  };
  for (std::size_t page = BlockCopy::kPageBytes; page < damaged.size(); page += BlockCopy::kPageBytes) {
    if (first_in(page) > first_in(newest)) newest = page;
  }
  const std::uint64_t before = first_in(newest) - 1;
  damaged[newest + 200] = static_cast<char>(damaged[newest + 200] ^ 1);
  ASSERT_NE(damaged, sound);
  ASSERT_THAT(write_file(copy_ / "damaged", damaged), succeeds());
  ASSERT_THAT(write_file(copy_ / "sound", sound), succeeds());
  write_over(copy_ / "damaged", journal());
  ASSERT_THAT(poll(), succeeds());
  EXPECT_EQ(end(), before);
  write_over(copy_ / "sound", journal());
  ASSERT_THAT(poll(), succeeds());
  EXPECT_GT(end(), before);
}

TEST_F(FollowedLogTest, AnotherStoreInTheFolderIsReported) {
  append();
  follow();
  expect_seen(1);
  std::filesystem::rename(folder(), copy_ / "old");
  std::filesystem::create_directory(folder());
  append();
  append();
  while (follower_->read_log({}).ok()) std::this_thread::yield();
  EXPECT_THAT(follower_->read_log({}), fails_with(Errc::kCorruption));
  EXPECT_THAT(follower_->scan({}, [](const EventView&) { return true; }), fails_with(Errc::kCorruption));
  EXPECT_EQ(follower_->head().value, 1u);
  unfollow();
  EXPECT_NE(fatal(), "");
}

TEST_F(FollowedLogTest, AnIdentityThatChangesIsCorruption) {
  append();
  follow();
  const std::string text = *read_file(folder() / "cairn.json");
  ASSERT_THAT(write_file(copy_ / "same", text), succeeds());
  std::filesystem::rename(copy_ / "same", folder() / "cairn.json");
  append();
  expect_seen(2);
  std::string other = text;
  other.replace(other.find(follower_->store_id()), 8, "00000000");
  ASSERT_THAT(write_file(copy_ / "other", other), succeeds());
  std::filesystem::rename(copy_ / "other", folder() / "cairn.json");
  while (follower_->read_log({}).ok()) std::this_thread::yield();
  EXPECT_THAT(follower_->read_log({}), fails_with(Errc::kCorruption));
  unfollow();
  EXPECT_THAT(fatal(), ::testing::HasSubstr("another store"));
}

}  // namespace
}  // namespace cairn::test
