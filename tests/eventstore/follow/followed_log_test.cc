// A log that is not the one that was followed so far is found out, and is no reason to crash.

#include "eventstore/follow/followed_log.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <string>

#include "eventstore/base/endian.h"
#include "eventstore/base/file.h"
#include "eventstore/data_folder.h"
#include "tests/eventstore/follow/follow_fixture.h"

namespace cairn::test {
namespace {

class FollowedLogTest : public FollowTest {
 protected:
  FollowedLogTest() : FollowTest(Medium::kMemory) {}

  // A writer of its own that appends one event and closes the store.
  void append_one() {
    ChildProcess writer({{test_program("store_child").string(), folder().string()}, {}});
    ASSERT_EQ(writer.ask("open"), "ok");
    ask_for_one(writer);
    writer.close_input();
    writer.wait();
  }

  // Kills a writer so that the newest event is in the journal alone, and opens the log. A writer may bring a
  // block home at once; then another one tries.
  void leave_one_in_journal() {
    for (int attempt = 0; attempt < 50; ++attempt) {
      log_.reset();
      ChildProcess writer({{test_program("store_child").string(), folder().string()}, {}});
      ASSERT_EQ(writer.ask("open"), "ok");
      for (int i = 0; i < 3; ++i) ask_for_one(writer);
      writer.kill(SIGKILL);
      writer.wait();
      open_log();
      if (end() < last_) return;
    }
    FAIL() << "every block was brought home before its writer was killed";
  }

  void ask_for_one(ChildProcess& writer) {
    ASSERT_THAT(writer.ask("append s-1 any " + std::to_string(++number_) + " 1 10"),
                ::testing::StartsWith("ok"));
    ++last_;
  }

  void open_log() {
    const auto store = DataFolder::inspect(folder());
    ASSERT_THAT(store, succeeds());
    auto log = FollowedLog::open(store->log(), store->store_id(), {});
    ASSERT_THAT(log, succeeds());
    log_ = *std::move(log);
    end_of_lmdb_ = end();
  }
  Status look() {
    return log_->look(FollowedLog::LastBlock::kTake,
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
  // As if nothing had ever been written to the journal.
  void empty_journal() {
    std::string bytes = *read_file(journal());
    std::fill(bytes.begin() + BlockCopy::kPageBytes, bytes.end(), '\0');
    ASSERT_THAT(write_file(copy_ / "empty", bytes), succeeds());
    write_over(copy_ / "empty", journal());
    last_ = end_of_lmdb_;
  }
  std::filesystem::path journal() const { return folder() / "log" / "journal"; }

  TempFolder copy_{Medium::kMemory};
  std::unique_ptr<FollowedLog> log_;
  std::uint64_t number_ = 0;       // of the last event that was made
  std::uint64_t last_ = 0;         // position
  std::uint64_t end_of_lmdb_ = 0;  // when the log was opened
};

TEST_F(FollowedLogTest, TakesWhatIsInLmdbAndWhatIsInTheJournal) {
  leave_one_in_journal();
  ASSERT_THAT(look(), succeeds());
  EXPECT_EQ(end(), last_);
  append_one();
  ASSERT_THAT(look(), succeeds());
  EXPECT_EQ(end(), last_);
}

TEST_F(FollowedLogTest, ALogThatBecameShorterIsCorruption) {
  append_one();
  copy_folder(folder(), copy_.path());
  append_one();
  open_log();
  ASSERT_THAT(look(), succeeds());
  EXPECT_EQ(end(), 2u);
  for (const char* name : {"data.mdb", "journal"}) {
    write_over(copy_ / "log" / name, folder() / "log" / name);
  }
  EXPECT_THAT(look(), fails_with(Errc::kCorruption));
  EXPECT_EQ(end(), 2u);
}

// What was seen is lost with the journal, and another event comes to stand in its place.
TEST_F(FollowedLogTest, AnotherEventInThePlaceOfOneThatWasSeenIsCorruption) {
  leave_one_in_journal();
  ASSERT_THAT(look(), succeeds());
  const std::uint64_t seen = end();
  empty_journal();
  ASSERT_THAT(look(), succeeds()) << "nothing that LMDB had is missing";
  EXPECT_EQ(end(), seen) << "what was seen stays seen";
  append_one();
  EXPECT_THAT(look(), fails_with(Errc::kCorruption));
}

TEST_F(FollowedLogTest, ALogThatGoesOnFromAnotherEventIsCorruption) {
  leave_one_in_journal();
  ASSERT_THAT(look(), succeeds());
  const std::uint64_t seen = end();
  empty_journal();
  while (last_ < seen + 2) append_one();
  EXPECT_THAT(look(), fails_with(Errc::kCorruption));
  EXPECT_EQ(end(), seen);
}

TEST_F(FollowedLogTest, ADamagedBlockInTheJournalIsNeverTaken) {
  leave_one_in_journal();
  const std::string sound = *read_file(journal());
  std::string damaged = sound;
  for (std::size_t page = BlockCopy::kPageBytes; page < damaged.size(); page += BlockCopy::kPageBytes) {
    if (damaged.compare(page, 4, "CRNB") == 0 && load_le<std::uint64_t>(damaged.data() + page + 8) == last_)
      damaged[page + 200] = static_cast<char>(damaged[page + 200] ^ 1);
  }
  ASSERT_NE(damaged, sound);
  ASSERT_THAT(write_file(copy_ / "damaged", damaged), succeeds());
  ASSERT_THAT(write_file(copy_ / "sound", sound), succeeds());
  write_over(copy_ / "damaged", journal());
  ASSERT_THAT(look(), succeeds());
  EXPECT_EQ(end(), last_ - 1);
  write_over(copy_ / "sound", journal());
  ASSERT_THAT(look(), succeeds());
  EXPECT_EQ(end(), last_);
}

TEST_F(FollowedLogTest, AnotherStoreInTheFolderIsReported) {
  append_one();
  follow();
  expect_seen(1);
  std::filesystem::rename(folder(), copy_ / "old");
  std::filesystem::create_directory(folder());
  append_one();
  append_one();
  while (follower_->read_log({}).ok()) std::this_thread::yield();
  EXPECT_THAT(follower_->read_log({}), fails_with(Errc::kCorruption));
  EXPECT_THAT(follower_->scan({}, [](const EventView&) { return true; }), fails_with(Errc::kCorruption));
  EXPECT_EQ(follower_->head().value, 1u);
  unfollow();
  EXPECT_NE(fatal(), "");
}

TEST_F(FollowedLogTest, AnIdentityThatChangesIsCorruption) {
  append_one();
  follow();
  const std::string text = *read_file(folder() / "cairn.json");
  ASSERT_THAT(write_file(copy_ / "same", text), succeeds());
  std::filesystem::rename(copy_ / "same", folder() / "cairn.json");
  append_one();
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
