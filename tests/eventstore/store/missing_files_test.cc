// Files that are missing, truncated, empty, old or of another store: an error, or the same answers as before.
// Never a new empty store.

#include <filesystem>
#include <string>

#include "tests/support/store_digest.h"
#include "tests/support/store_fixture.h"

namespace cairn::test {
namespace {

namespace fs = std::filesystem;

class MissingFilesTest : public StoreTest {
 protected:
  fs::path log_file() const { return folder() / "log" / "data.mdb"; }
  fs::path index_file() const { return folder() / "index" / "data.mdb"; }

  // A closed store with enough events to fill many pages.
  void given_a_store() {
    for (std::uint64_t i = 0; i < 60; ++i) {
      append("cart-" + std::to_string(i % 11),
             {event(id(i + 1), i % 2 == 0 ? "A" : "B", std::string(100 + 40 * i, 'x'))});
      if (i == 30) flush();
    }
    store_id_ = store().store_id();
    digest_ = value_of(digest_of(store()));
    close();
  }

  // Opening fails with kCorruption, twice, and leaves the folder as it was.
  void expect_refused() {
    for (int attempt = 0; attempt < 2; ++attempt) {
      auto opened = try_open();
      ASSERT_FALSE(opened.ok()) << "a store was opened, with head " << (*opened)->head().value;
      EXPECT_THAT(opened, fails_with(Errc::kCorruption));
      EXPECT_THAT(opened.error().message, ::testing::HasSubstr(folder().string()));
    }
  }

  void expect_same_answers() {
    open();
    if (HasFatalFailure()) return;
    EXPECT_EQ(store().store_id(), store_id_);
    EXPECT_EQ(value_of(digest_of(store())), digest_);
    append("cart-1", {"After"});
    expect_sound();
  }

  // The index can be built from the log: either that is done, with a notice, or the damage is reported.
  void expect_rebuilt_or_refused() {
    auto opened = try_open();
    if (opened.ok()) {
      EXPECT_EQ(value_of(digest_of(**opened)), digest_);
      EXPECT_FALSE(logged().empty()) << "an operator wants to know";
    } else {
      EXPECT_THAT(opened, fails_with(Errc::kCorruption));
      EXPECT_THAT(opened.error().message, ::testing::HasSubstr(folder().string()));
    }
  }

  void expect_verify_complains() {
    auto report = verify_store(folder());
    EXPECT_TRUE(!report.ok() || !report->sound());
  }

  std::string store_id_;
  std::uint64_t digest_ = 0;
};

TEST_F(MissingFilesTest, TheLogsFileRemoved) {
  given_a_store();
  fs::remove(log_file());
  expect_refused();
  EXPECT_FALSE(fs::exists(log_file()) && fs::file_size(log_file()) > 0) << "nothing is made in its place";
  expect_verify_complains();
}

TEST_F(MissingFilesTest, TheLogsFolderRemoved) {
  given_a_store();
  fs::remove_all(folder() / "log");
  expect_refused();
  expect_verify_complains();
}

TEST_F(MissingFilesTest, TheLogsFolderRemovedAndTheIndexToo) {
  given_a_store();
  fs::remove_all(folder() / "log");
  fs::remove_all(folder() / "index");
  expect_refused();
}

TEST_F(MissingFilesTest, TheLogsFileEmptied) {
  given_a_store();
  fs::resize_file(log_file(), 0);
  expect_refused();
  expect_verify_complains();
}

TEST_F(MissingFilesTest, TheLogsFileTruncatedToOnePage) {
  given_a_store();
  fs::resize_file(log_file(), 4096);
  expect_refused();
  expect_verify_complains();
}

TEST_F(MissingFilesTest, TheLogsFileTruncatedToItsTwoMetaPages) {
  given_a_store();
  fs::resize_file(log_file(), 2 * 4096);
  expect_refused();
  expect_verify_complains();
}

TEST_F(MissingFilesTest, TheLogsFileTruncatedToHalfOfItsUsedBytes) {
  given_a_store();
  open();
  const std::uint64_t used = store().stats().log_bytes;
  close();
  fs::resize_file(log_file(), used / 2 / 4096 * 4096);
  expect_refused();
  expect_verify_complains();
}

TEST_F(MissingFilesTest, TheLogsFileTruncatedInTheMiddleOfAPage) {
  given_a_store();
  fs::resize_file(log_file(), 5 * 4096 + 17);
  expect_refused();
}

TEST_F(MissingFilesTest, PreallocatedSpaceMayBeTruncated) {
  given_a_store();
  open();
  const std::uint64_t used = store().stats().log_bytes;
  close();
  if (fs::file_size(log_file()) > used) fs::resize_file(log_file(), used);
  expect_same_answers();
}

TEST_F(MissingFilesTest, AnEmptyStoresLogRemovedIsStillAnError) {
  open();
  close();
  fs::remove(log_file());
  expect_refused();
}

TEST_F(MissingFilesTest, TheIdentityFileRemovedWhileThereIsData) {
  given_a_store();
  TempFolder saved;
  fs::copy_file(folder() / "cairn.json", saved / "cairn.json");
  fs::remove(folder() / "cairn.json");
  expect_refused();
  EXPECT_FALSE(fs::exists(folder() / "cairn.json")) << "no new identity is given to old data";
  fs::copy_file(saved / "cairn.json", folder() / "cairn.json", fs::copy_options::overwrite_existing);
  expect_same_answers();
}

TEST_F(MissingFilesTest, TheIdentityFileEmptied) {
  given_a_store();
  fs::resize_file(folder() / "cairn.json", 0);
  expect_refused();
}

TEST_F(MissingFilesTest, TheIndexFolderRemovedIsRebuilt) {
  given_a_store();
  fs::remove_all(folder() / "index");
  expect_same_answers();
  EXPECT_FALSE(logged().empty()) << "an operator wants to know";
}

TEST_F(MissingFilesTest, TheIndexFileEmptied) {
  given_a_store();
  fs::resize_file(index_file(), 0);
  expect_rebuilt_or_refused();
}

TEST_F(MissingFilesTest, TheIndexFileTruncatedToHalf) {
  given_a_store();
  fs::resize_file(index_file(), fs::file_size(index_file()) / 2 / 4096 * 4096);
  expect_rebuilt_or_refused();
}

TEST_F(MissingFilesTest, RepeatsAreStillRecognisedAfterTheIndexIsRebuilt) {
  given_a_store();
  fs::remove_all(folder() / "index");
  auto repeated =
      append_expecting("cart-0", ExpectedVersion::any(), {event(id(1), "A", std::string(100, 'x'))});
  ASSERT_THAT(repeated, succeeds());
  EXPECT_TRUE(repeated->already_applied);
  EXPECT_THAT(append_expecting("cart-0", ExpectedVersion::any(), {event(id(1), "Other")}),
              fails_with(Errc::kEventIdReused));
}

TEST_F(MissingFilesTest, AnOlderIndexIsBroughtUpToDate) {
  append("cart-1", {"A", "B"});
  reopen();
  close();
  TempFolder saved;
  copy_folder(folder() / "index", saved / "index");
  given_a_store();
  copy_folder(saved / "index", folder() / "index");
  expect_same_answers();
}

TEST_F(MissingFilesTest, AnIndexOfAnotherStoreIsNotUsed) {
  TempFolder other;
  {
    auto other_store = value_of(EventStore::open(other / "data", options()));
    ASSERT_NE(other_store, nullptr);
    for (std::uint64_t i = 0; i < 60; ++i) {
      ASSERT_THAT(other_store->append(request({to("cart-" + std::to_string(i % 3), ExpectedVersion::any(),
                                                  {event(id(1'000 + i), "B", "{}")})})),
                  succeeds());
    }
  }
  given_a_store();
  copy_folder(other / "data" / "index", folder() / "index");
  expect_rebuilt_or_refused();
}

TEST_F(MissingFilesTest, ALogOfAnotherStoreIsRefused) {
  TempFolder other;
  {
    auto other_store = value_of(EventStore::open(other / "data", options()));
    ASSERT_NE(other_store, nullptr);
    for (int i = 0; i < 80; ++i) {
      ASSERT_THAT(other_store->append(request({to("cart-1", ExpectedVersion::any(), {event("B", "{}")})})),
                  succeeds());
    }
  }
  given_a_store();
  copy_folder(other / "data" / "log", folder() / "log");
  expect_refused();
}

// A backup of the log restored under a newer index: the index has events that the log has not.
TEST_F(MissingFilesTest, ALogOlderThanTheIndexNeverReturnsWrongAnswers) {
  append("cart-1", {event(id(900), "Old")});
  const auto old_digest = value_of(digest_of(store()));
  close();
  TempFolder saved;
  copy_folder(folder() / "log", saved / "log");
  given_a_store();
  copy_folder(saved / "log", folder() / "log");
  auto opened = try_open();
  if (opened.ok()) {
    EXPECT_EQ((*opened)->head().value, 1u);
    EXPECT_EQ(value_of(digest_of(**opened)), old_digest) << "then the index must have been rebuilt";
    EXPECT_FALSE(logged().empty());
  } else {
    EXPECT_THAT(opened, fails_with(Errc::kCorruption));
  }
}

}  // namespace
}  // namespace cairn::test
