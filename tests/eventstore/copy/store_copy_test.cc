// Copies of a store that no process writes: their content, and what remains after a failure.

#include "eventstore/store_copy.h"

#include <fstream>
#include <iterator>
#include <string>

#include "tests/support/log_blocks.h"
#include "tests/support/numbered_events.h"
#include "tests/support/random.h"
#include "tests/support/scale.h"
#include "tests/support/store_digest.h"
#include "tests/support/store_fixture.h"

namespace cairn::test {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::string content_of(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

void put_content(const fs::path& file, const std::string& bytes) {
  std::ofstream out(file, std::ios::binary | std::ios::trunc);
  out << bytes;
  ASSERT_TRUE(out.flush().good());
}

class StoreCopyTest : public StoreTest {
 protected:
  // Blocks of one event and of many, small and of several pages; some events are in the index, some are not.
  void fill() {
    for (int i = 0; i < 30; ++i) append_numbered(1, 60);
    append_numbered(40, 50);
    append_numbered(1, 9'000);
    flush();
    append_numbered(3, 1'000'000);
    for (int i = 0; i < 5; ++i) append_numbered(2, 300);
  }
  void append_numbered(std::size_t count, std::size_t bytes) {
    std::vector<NewEvent> events;
    for (std::size_t i = 0; i < count; ++i) events.push_back(numbered_event(++numbers_, bytes));
    append("cart-" + std::to_string(numbers_ % 5), std::move(events));
  }

  Result<CopyReport> copy(const CopyOptions& options = {}) { return copy_store(folder(), out(), options); }

  std::uint64_t digest(const fs::path& data) {
    const auto opened = EventStore::open(data, options());
    EXPECT_THAT(opened, succeeds());
    return opened.ok() ? value_of(digest_of(**opened)) : 0;
  }

  // Changes one byte of each occurrence of `text` in `file`.
  static void damage(const fs::path& file, const std::string& text) {
    std::string bytes = content_of(file);
    std::size_t found = 0;
    for (auto at = bytes.find(text); at != std::string::npos; at = bytes.find(text, at + 1), ++found)
      bytes[at] = '#';
    ASSERT_GT(found, 0u);
    put_content(file, bytes);
  }

  void expect_nothing_left() const {
    EXPECT_FALSE(fs::exists(out()));
    EXPECT_TRUE(fs::is_empty(around_.path()));
  }

  fs::path out() const { return around_ / "copy"; }

  TempFolder around_;
  std::uint64_t numbers_ = 0;
};

TEST_F(StoreCopyTest, ACopyReturnsTheSameEventsAsTheStore) {
  fill();
  const std::string hash = store().head_hash();
  const std::string store_id = store().store_id();
  const std::uint64_t last = head();
  close();
  const auto report = copy();
  ASSERT_THAT(report, succeeds());
  EXPECT_EQ(report->head, last);
  EXPECT_EQ(report->head_hash, hash);
  EXPECT_EQ(report->store_id, store_id);
  EXPECT_EQ(report->indexed_through, last) << "closing flushes";
  EXPECT_EQ(report->index_left_out, "");
  EXPECT_EQ(value_of(blocks_in(out())), value_of(blocks_in(folder())));
  const std::string of_copy = content_of(out() / "cairn.json"),
                    of_store = content_of(folder() / "cairn.json");
  EXPECT_EQ(of_copy, of_store.substr(0, of_store.find(",\n  \"historyId\"")) + "\n}\n");
  EXPECT_EQ(fs::file_size(out() / "log/journal"), fs::file_size(folder() / "log/journal"));
  const auto verified = verify_store(out());
  ASSERT_THAT(verified, succeeds());
  EXPECT_TRUE(verified->sound());
  EXPECT_GT(verified->index_records, 0u) << "the index came along";
  EXPECT_EQ(digest(out()), digest(folder()));
}

TEST_F(StoreCopyTest, CopiesAnEmptyStore) {
  open();
  close();
  const auto report = copy();
  ASSERT_THAT(report, succeeds());
  EXPECT_EQ(report->head, 0u);
  EXPECT_EQ(digest(out()), digest(folder()));
}

TEST_F(StoreCopyTest, CopiesSnapshotsExceptDamagedOnes) {
  append("cart-1", {"T", "T"});
  const SnapshotRecord good{"cart-1", {2}, "a state"};
  const SnapshotRecord bad{"cart-1", {1}, "needle in the state"};
  const std::vector<SnapshotRecord> both{good, bad};
  ASSERT_THAT(store().put_snapshots(both), succeeds());
  close();
  damage(folder() / "index/data.mdb", "needle in the state");
  const auto report = copy();
  ASSERT_THAT(report, succeeds());
  EXPECT_EQ(report->snapshots, 1u);
  EXPECT_EQ(report->index_left_out, "");
  const auto opened = EventStore::open(out(), options());
  ASSERT_THAT(opened, succeeds());
  EXPECT_EQ(value_of((*opened)->list_snapshots("cart-1")).size(), 1u);
}

// A store opened from the copy answers the retry of an earlier append with its original result.
TEST_F(StoreCopyTest, TheCopyIsIdempotentForRepeatedAppends) {
  append("cart-1", {event(id(7), "T", R"({"n":7})")});
  flush();
  append("cart-1", {event(id(8), "T", R"({"n":8})")});
  close();
  ASSERT_THAT(copy(), succeeds());
  append("cart-1", {event(id(9), "T", R"({"n":9})")});
  close();
  const auto opened = EventStore::open(out(), options());
  ASSERT_THAT(opened, succeeds());
  for (const std::uint64_t n : {7u, 8u, 9u}) {
    const auto again = (*opened)->append(request(
        {to("cart-1", ExpectedVersion::any(), {event(id(n), "T", R"({"n":)" + std::to_string(n) + "}")})}));
    ASSERT_THAT(again, succeeds());
    EXPECT_EQ(again->already_applied, n < 9) << n;
    EXPECT_EQ(again->streams[0].last_version.value, n - 6);
  }
}

// A store whose process died with its newest blocks only in the journal: LMDB's files are older.
class JournaledCopyTest : public StoreCopyTest {
 protected:
  void SetUp() override {
    fill();
    close();
    copy_folder(folder(), before_ / "data");
    for (const char* text : {"first of three", "second of three", "third of three"})
      append("young-1", {event("T", std::string(R"({"a":")") + text + "\"}")});
    last_ = head();
    right_ = value_of(digest_of(store()));
    close();
    fs::copy_file(folder() / "log/journal", before_ / "data/log/journal",
                  fs::copy_options::overwrite_existing);
  }
  Result<CopyReport> copy_journaled() { return copy_store(before_ / "data", out(), {}); }

  TempFolder before_;
  std::uint64_t last_ = 0;
  std::uint64_t right_ = 0;
};

TEST_F(JournaledCopyTest, BlocksInTheJournalAreCopied) {
  const auto report = copy_journaled();
  ASSERT_THAT(report, succeeds());
  EXPECT_EQ(report->head, last_);
  EXPECT_EQ(digest(out()), right_);
}

TEST_F(JournaledCopyTest, ADamagedBlockBeforeAValidOneIsRefused) {
  damage(before_ / "data/log/journal", "second of three");
  const auto report = copy_journaled();
  ASSERT_THAT(report, fails_with(Errc::kCorruption));
  EXPECT_THAT(report.error().message,
              HasSubstr("the block at position " + std::to_string(last_ - 1) + " is damaged"));
  expect_nothing_left();
}

TEST_F(JournaledCopyTest, ALogBehindItsIndexIsRefused) {
  copy_folder(folder() / "index", before_ / "data/index");
  damage(before_ / "data/log/journal", "first of three");
  damage(before_ / "data/log/journal", "second of three");
  damage(before_ / "data/log/journal", "third of three");
  const auto report = copy_journaled();
  ASSERT_THAT(report, fails_with(Errc::kCorruption));
  EXPECT_THAT(report.error().message, HasSubstr("its index contains events up to " + std::to_string(last_)));
  expect_nothing_left();
}

TEST_F(StoreCopyTest, ACancelledCopyLeavesNothing) {
  fill();
  close();
  std::size_t calls = 0;
  for (std::size_t allowed = 0;; ++allowed) {
    calls = 0;
    const auto report =
        copy({.progress = [&](std::string_view, std::uint64_t, std::uint64_t) { return calls++ < allowed; }});
    if (report.ok()) break;
    ASSERT_THAT(report, fails_with(Errc::kFailedPrecondition));
    expect_nothing_left();
  }
  EXPECT_GT(calls, 30u) << "it was asked for every block";
}

TEST_F(StoreCopyTest, AnEmptyTargetFolderIsFilledOrStaysEmpty) {
  fill();
  close();
  fs::create_directory(out());
  const auto report =
      copy({.progress = [](std::string_view, std::uint64_t, std::uint64_t) { return false; }});
  ASSERT_THAT(report, fails_with(Errc::kFailedPrecondition));
  EXPECT_TRUE(fs::is_empty(out()));
  ASSERT_THAT(copy_store(folder(), out() / "", {}), succeeds());
  EXPECT_FALSE(fs::exists(out() / ".partial"));
  EXPECT_EQ(digest(out()), digest(folder()));
}

TEST_F(StoreCopyTest, AnUnfinishedCopyOfAKilledProcessIsReplaced) {
  fill();
  close();
  const fs::path partial = around_ / "copy.partial";
  fs::create_directories(partial / "log");
  put_content(partial / "log/data.mdb", "half");
  ASSERT_THAT(copy(), succeeds());
  EXPECT_FALSE(fs::exists(partial));
  EXPECT_EQ(digest(out()), digest(folder()));

  // Files that are not of a copy are kept.
  fs::remove_all(out());
  fs::create_directory(partial);
  put_content(partial / "diary", "dear");
  EXPECT_THAT(copy(), fails_with(Errc::kInvalidArgument));
  EXPECT_EQ(content_of(partial / "diary"), "dear");
}

TEST_F(StoreCopyTest, ANonEmptyFolderIsRefused) {
  fill();
  close();
  fs::create_directory(out());
  put_content(out() / "diary", "dear");
  const auto report = copy();
  ASSERT_THAT(report, fails_with(Errc::kInvalidArgument));
  EXPECT_THAT(report.error().message, HasSubstr("is not empty"));
  EXPECT_THAT(copy_store(folder(), out() / "diary", {}), fails_with(Errc::kInvalidArgument));
  EXPECT_THAT(copy_store(folder(), folder() / "copy", {}), fails_with(Errc::kInvalidArgument));
  EXPECT_THAT(copy_store(folder(), folder(), {}), fails_with(Errc::kInvalidArgument));
  EXPECT_THAT(copy_store(out(), around_ / "other", {}), fails_with(Errc::kNotFound));
  EXPECT_EQ(content_of(out() / "diary"), "dear");
}

TEST_F(StoreCopyTest, ADamagedBlockIsRefusedWithItsPlace) {
  append("cart-1", {event("T", R"({"a":"one"})")});
  append("cart-2", {event("T", R"({"a":"needle in the log"})")});
  append("cart-1", {event("T", R"({"a":"three"})")});
  close();
  damage(folder() / "log/data.mdb", "needle in the log");
  const auto report = copy();
  ASSERT_THAT(report, fails_with(Errc::kCorruption));
  EXPECT_THAT(report.error().message, HasSubstr("log block 2"));
  expect_nothing_left();
}

TEST_F(StoreCopyTest, ADamagedIndexIsLeftOut) {
  append("cart-of-the-needle", {"T"});
  close();
  damage(folder() / "index/data.mdb", "of-the-needle");
  const auto report = copy();
  ASSERT_THAT(report, succeeds());
  EXPECT_NE(report->index_left_out, "");
  EXPECT_FALSE(fs::exists(out() / "index"));
  fs::remove_all(folder() / "index");
  EXPECT_EQ(digest(out()), digest(folder()));
}

// With bits flipped anywhere in the files the copy either fails or is correct.
TEST_F(StoreCopyTest, DamageIsNeverCopied) {
  fill();
  const std::uint64_t right = value_of(digest_of(store()));
  close();
  Random random("StoreCopyTest");
  std::size_t refused = 0, copied = 0;
  for (std::size_t round = 0; round < rounds(40, 300); ++round) {
    SCOPED_TRACE("round " + std::to_string(round) + " of seed " + std::to_string(random.seed()));
    const fs::path file = folder() / (random.one_in(3) ? "index/data.mdb" : "log/data.mdb");
    const std::string original = content_of(file);
    std::string bytes = original;
    std::size_t at = 0;
    do {
      at = random.below(bytes.size());
    } while (bytes[at] == 0);
    bytes[at] = static_cast<char>(bytes[at] ^ (1 << random.below(8)));
    put_content(file, bytes);
    const CopyCheck check = random.one_in(2) ? CopyCheck::kCopy : CopyCheck::kNothing;
    const auto report = copy({.check = check, .progress = {}});
    put_content(file, original);
    if (report.ok()) {
      ++copied;
      ASSERT_EQ(digest(out()), right);
      fs::remove_all(out());
    } else {
      ++refused;
      ASSERT_THAT(report, fails_with(Errc::kCorruption));
      expect_nothing_left();
    }
    if (HasFailure()) return;
  }
  std::printf("[   NOTE   ] %zu refused, %zu copied\n", refused, copied);
  EXPECT_GT(refused, 0u);
  EXPECT_GT(copied, 0u);
}

}  // namespace
}  // namespace cairn::test
