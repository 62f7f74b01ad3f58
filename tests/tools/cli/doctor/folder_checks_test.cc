// What facts about a folder mean: those that a test cannot plant in a real machine.

#include "tools/cli/doctor/folder_checks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace cairn::cli {
namespace {

using ::testing::HasSubstr;

class FolderChecksTest : public ::testing::Test {
 protected:
  static constexpr std::int64_t kHour = 3'600'000'000;

  FolderChecksTest() {
    facts_.folder = facts_.place = "/srv/data";
    facts_.is_folder = true;
    facts_.owner = OwnerFacts{.process = "cairn", .owner = "cairn", .is_owner = true, .mode = 0700};
    facts_.disk = {.file_system = "ext4", .source = "/dev/sda1", .mount_point = "/srv", .options = {"rw"}};
    facts_.space = SpaceFacts{
        .bytes = 100ull << 30, .free_bytes = 50ull << 30, .inodes = 1'000'000, .free_inodes = 900'000};
    facts_.sync = {
        .syncs = 32, .median = std::chrono::milliseconds(1), .worst = std::chrono::milliseconds(2)};
    facts_.limits = {.open_files = 20'000};
    facts_.memory = {.available_bytes = 4ull << 30};
    facts_.clock = {.now = {1'000'000 * kHour}, .synchronised = true};
    facts_.version = "1.2.3";
    QuickCheck store;
    store.blocks = store.events = store.head = 1'000;
    store.newest_at = Timestamp{facts_.clock.now.micros - kHour};
    store.oldest_at = Timestamp{facts_.clock.now.micros - 100 * kHour};
    store.log_bytes = 1'000'000;
    store.recent_events = 10;
    facts_.store.emplace(store);
  }
  QuickCheck& store() { return **facts_.store; }
  Check check(const std::string& name) const {
    for (const Check& check : folder_checks(facts_)) {
      if (check.name == name) return check;
    }
    ADD_FAILURE() << "no check " << name;
    return {};
  }
  void expect(const std::string& name, CheckVerdict verdict, const std::string& says) const {
    EXPECT_EQ(check(name).verdict, verdict) << check(name).text;
    EXPECT_THAT(check(name).text, HasSubstr(says));
  }

  FolderFacts facts_;
};

TEST_F(FolderChecksTest, AHealthyFolderHasNoFault) {
  EXPECT_EQ(folder_checks(facts_).size(), 13u);
  for (const Check& check : folder_checks(facts_))
    EXPECT_EQ(check.verdict, CheckVerdict::kOk) << check.name << ": " << check.text;
}

TEST_F(FolderChecksTest, AFolderToBeMadeHasNoOwnerAndNoStore) {
  facts_.owner.reset();
  facts_.store.reset();
  EXPECT_EQ(folder_checks(facts_).size(), 9u);
}

TEST_F(FolderChecksTest, AnotherUserThanTheOwnerIsTold) {
  facts_.owner->is_owner = false;
  facts_.owner->process = "ada";
  expect("owner", CheckVerdict::kFailed, "and this is ada: run the server and this command as cairn");
  facts_.owner->is_root = true;
  expect("owner", CheckVerdict::kOk, "owner cairn");
}

TEST_F(FolderChecksTest, AFolderThatOthersCanListIsAWarning) {
  facts_.owner->mode = 0755;
  expect("owner", CheckVerdict::kWarning, "mode 755: others than the owner can list the folder");
}

TEST_F(FolderChecksTest, GrowthDecidesBesideTheFreeSpace) {
  expect("space", CheckVerdict::kOk, "grows by ");
  // 10 % of what there is in a day, and 60 % of it is free: full in six days.
  store().log_bytes = 80ull << 30;
  store().recent_events = 100;
  expect("space", CheckVerdict::kWarning, "grows by 8.0 GiB a day, full in 6 days; enlarge the disk");
}

TEST_F(FolderChecksTest, SpaceHasBoundsOfSharesBytesAndInodes) {
  facts_.space->free_bytes = 14ull << 30;
  expect("space", CheckVerdict::kWarning, "keep 15 % free");
  facts_.space->free_bytes = 4ull << 30;
  expect("space", CheckVerdict::kFailed, "4.0 %");
  facts_.space->free_bytes = 50ull << 30;
  facts_.space->free_inodes = 10;
  expect("space", CheckVerdict::kWarning, "but only 10 inodes");
}

TEST_F(FolderChecksTest, NetworkFileSystemsFail) {
  facts_.disk.file_system = "nfs4";
  expect("file system", CheckVerdict::kFailed, "not safe on a network file system");
}

TEST_F(FolderChecksTest, SlowSyncsAreAWarningAndFailedOnesAFailure) {
  facts_.sync.median = std::chrono::milliseconds(25);
  expect("sync latency", CheckVerdict::kWarning, "25.00 ms");
  facts_.sync.error = "Input/output error";
  facts_.sync.failed = true;
  expect("sync latency", CheckVerdict::kFailed, "a sync fails: Input/output error");
}

TEST_F(FolderChecksTest, OpenFilesHaveTwoBounds) {
  facts_.limits.open_files = 8'191;
  expect("open files", CheckVerdict::kWarning, "at most 8,191");
  facts_.limits.open_files = 1'023;
  expect("open files", CheckVerdict::kFailed, "raise the hard limit to 8,192");
  facts_.limits.open_files.reset();
  expect("open files", CheckVerdict::kOk, "unlimited");
}

TEST_F(FolderChecksTest, LittleMemoryIsAWarning) {
  facts_.memory.group_limit_bytes = 256u << 20;
  expect("memory", CheckVerdict::kWarning, "the control group is limited to 256.0 MiB");
  facts_.memory.group_limit_bytes.reset();
  facts_.memory.available_bytes = 100u << 20;
  expect("memory", CheckVerdict::kWarning, "100.0 MiB available");
  facts_.memory = {.available_bytes = 4ull << 30, .strict_overcommit = true, .commit_left_bytes = 1u << 20};
  expect("memory", CheckVerdict::kWarning, "vm.overcommit_memory is 2");
}

TEST_F(FolderChecksTest, AClockThatNobodySetsIsAWarning) {
  facts_.clock.synchronised = false;
  expect("clock", CheckVerdict::kWarning, "not synchronised");
  store().newest_at = Timestamp{facts_.clock.now.micros + 6'000'000};
  expect("clock", CheckVerdict::kFailed, "behind the newest event");
  facts_.clock.synchronised = true;
  store().newest_at = Timestamp{facts_.clock.now.micros + 4'000'000};
  expect("clock", CheckVerdict::kOk, "");
}

TEST_F(FolderChecksTest, AStoreThatCannotBeReadFails) {
  facts_.store.emplace(make_error(Errc::kCorruption, "cairn.json is damaged"));
  expect("damage", CheckVerdict::kFailed, "cairn.json is damaged");
}

TEST_F(FolderChecksTest, ALockThatNobodyHoldsIsHarmless) {
  facts_.lock = {.exists = true, .process = "4711", .holder = {}};
  expect("lock", CheckVerdict::kOk, "names process 4711, which does not hold it any more");
  store().is_open = true;  // in another container
  expect("lock", CheckVerdict::kOk, "a process that cannot be seen from here has the store open");
}

}  // namespace
}  // namespace cairn::cli
