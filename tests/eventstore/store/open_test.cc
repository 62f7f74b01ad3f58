// Which process may open a folder, and what opening does with it.

#include <csignal>
#include <filesystem>
#include <fstream>
#include <string>

#include <sys/stat.h>
#include <unistd.h>

#include "tests/support/child_process.h"
#include "tests/support/store_fixture.h"

namespace cairn::test {
namespace {

using ::testing::HasSubstr;

class OpenTest : public StoreTest {};

TEST_F(OpenTest, ASecondOpenInTheSameProcessIsRefused) {
  append("cart-1", {"A"});
  auto second = try_open();
  ASSERT_THAT(second, fails_with(Errc::kFailedPrecondition));
  EXPECT_THAT(second.error().message, HasSubstr(folder().string()));
  EXPECT_THAT(second.error().message, HasSubstr(std::to_string(::getpid())));
  append("cart-1", {"B"});
  EXPECT_EQ(version_of("cart-1"), 2u) << "the first goes on";
  close();
  EXPECT_THAT(try_open(), succeeds());
}

TEST_F(OpenTest, ASecondProcessIsRefusedWithTheHoldersPid) {
  append("cart-1", {"A"});
  ChildProcess child({{test_program("store_child").string(), folder().string()}, {}});
  const std::string answer = child.ask("open");
  EXPECT_THAT(answer, HasSubstr(std::string(to_string(Errc::kFailedPrecondition))));
  EXPECT_THAT(answer, HasSubstr(folder().string()));
  EXPECT_THAT(answer, HasSubstr(std::to_string(::getpid())));
  append("cart-1", {"B"});
  close();
  EXPECT_EQ(child.ask("open"), "ok");
  auto ours = try_open();
  ASSERT_THAT(ours, fails_with(Errc::kFailedPrecondition));
  EXPECT_THAT(ours.error().message, HasSubstr(std::to_string(child.pid())));
}

TEST_F(OpenTest, AKilledProcessReleasesTheFolder) {
  {
    ChildProcess child({{test_program("store_child").string(), folder().string()}, {}});
    ASSERT_EQ(child.ask("open"), "ok");
    child.ask("append cart-1 any 1 1 10");
    child.kill(SIGKILL);
    child.wait();
  }
  EXPECT_EQ(events_in("cart-1").size(), 1u);
}

TEST_F(OpenTest, AMissingFolderIsCreatedOrNotFoundAsTheOptionsSay) {
  options().create = CreateIfMissing::kNo;
  auto absent = EventStore::open(folder() / "absent", options());
  EXPECT_THAT(absent, fails_with(Errc::kNotFound));
  EXPECT_FALSE(std::filesystem::exists(folder() / "absent" / "cairn.json"));
  EXPECT_THAT(try_open(), fails_with(Errc::kNotFound)) << "an empty folder is no store";
  options().create = CreateIfMissing::kYes;
  EXPECT_THAT(EventStore::open(folder() / "absent" / "deeper", options()), succeeds());
}

TEST_F(OpenTest, ANetworkFileSystemIsRefused) {
  ChildProcess::Command command{{test_program("store_child").string(), (folder() / "data").string()}, {}};
  preload(command, test_preload("network_disk_preload"));
  ChildProcess child(command);
  const std::string answer = child.ask("open");
  EXPECT_THAT(answer, HasSubstr(std::string(to_string(Errc::kFailedPrecondition))));
  EXPECT_THAT(answer, HasSubstr("network file system"));
  EXPECT_FALSE(std::filesystem::exists(folder() / "data" / "cairn.json"));
}

TEST_F(OpenTest, AFileInPlaceOfTheFolderIsRefused) {
  std::ofstream(folder() / "file") << "not a folder";
  auto opened = EventStore::open(folder() / "file", options());
  ASSERT_FALSE(opened.ok());
  EXPECT_THAT(opened.error().message, HasSubstr("file"));
}

TEST_F(OpenTest, AReadOnlyFolderIsRefusedWithItsName) {
  if (::geteuid() == 0) {
    // Root may write anywhere, except into /proc.
    auto opened = EventStore::open("/proc/cairn-test", options());
    ASSERT_FALSE(opened.ok());
    EXPECT_THAT(opened.error().message, HasSubstr("/proc/cairn-test"));
    return;
  }
  append("cart-1", {"A"});
  close();
  ::chmod(folder().c_str(), 0500);
  ::chmod((folder() / "log").c_str(), 0500);
  ::chmod((folder() / "log" / "data.mdb").c_str(), 0400);
  auto opened = try_open();
  ::chmod(folder().c_str(), 0700);
  ::chmod((folder() / "log").c_str(), 0700);
  ::chmod((folder() / "log" / "data.mdb").c_str(), 0600);
  ASSERT_FALSE(opened.ok());
  EXPECT_THAT(opened.error().message, HasSubstr(folder().string()));
  EXPECT_EQ(version_of("cart-1"), 1u);
}

TEST_F(OpenTest, OpeningAndClosingAnEmptyStoreManyTimesKeepsItsId) {
  const std::string own = store().store_id();
  for (int i = 0; i < 10; ++i) {
    reopen();
    EXPECT_EQ(store().store_id(), own);
    EXPECT_EQ(head(), 0u);
  }
  expect_sound();
}

TEST_F(OpenTest, VerifyOfNoStoreIsNotFound) {
  EXPECT_THAT(verify_store(folder() / "absent"), fails_with(Errc::kNotFound));
  EXPECT_THAT(verify_store(folder()), fails_with(Errc::kNotFound));
}

TEST_F(OpenTest, VerifyReportsWhatItChecked) {
  append("cart-1", {"A", "B"});
  append("cart-2", {"C"});
  flush();
  append("cart-2", {"D"});
  const std::string own = store().store_id(), hash = store().head_hash();
  close();
  auto report = verify_store(folder());
  ASSERT_THAT(report, succeeds());
  EXPECT_TRUE(report->sound());
  EXPECT_EQ(report->store_id, own);
  EXPECT_EQ(report->events, 4u);
  EXPECT_EQ(report->head, 4u);
  EXPECT_EQ(report->blocks, 3u);
  EXPECT_EQ(report->streams, 2u);
  EXPECT_EQ(report->head_hash, hash);
  EXPECT_EQ(report->indexed_through, 4u) << "closing flushes";
  EXPECT_GT(report->index_records, 0u);
}

TEST_F(OpenTest, VerifyRunsBesideAnotherProcess) {
  ChildProcess child({{test_program("store_child").string(), folder().string()}, {}});
  ASSERT_EQ(child.ask("open"), "ok");
  child.ask("append cart-1 any 1 3 10");
  auto report = verify_store(folder());
  ASSERT_THAT(report, succeeds());
  EXPECT_TRUE(report->sound());
  EXPECT_EQ(report->head, 3u);
  EXPECT_EQ(child.ask("append cart-1 any 10 1 10").substr(0, 2), "ok");
}

}  // namespace
}  // namespace cairn::test
