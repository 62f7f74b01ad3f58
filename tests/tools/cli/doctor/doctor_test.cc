// `cairn doctor`, and what a server says at its start about a disk that loses what it has synced.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "eventstore/event_store.h"
#include "tests/support/cairn_process.h"
#include "tests/support/child_process.h"
#include "tests/support/events.h"
#include "tests/support/matchers.h"
#include "tests/support/small_disk.h"
#include "tests/support/small_store.h"
#include "tests/support/temp_folder.h"
#include "tools/cli/serve/disk_facts.h"

namespace cairn::test {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

// The kernel's words about the device of a folder, as a test wants them.
class DiskFactsTest : public ::testing::Test {
 protected:
  DiskFactsTest() {
    struct stat of {};
    EXPECT_EQ(::stat(folder_.path().c_str(), &of), 0);
    device_ = std::to_string(major(of.st_dev)) + ":" + std::to_string(minor(of.st_dev));
    write("proc/mountinfo", "");
    fs::create_directories(folder_ / "sys/dev/block");
  }

  void write(const std::string& name, const std::string& text) const {
    fs::create_directories((folder_ / name).parent_path());
    std::ofstream(folder_ / name) << text;
  }
  void mounted(const std::string& options, const std::string& kind, const std::string& super_options) const {
    write("proc/mountinfo", "22 1 0:5 / /dev rw,nosuid - devtmpfs dev rw,mode=755\n36 35 " + device_ +
                                " /root /srv/data " + options + " shared:1 - " + kind + " /dev/sda1 " +
                                super_options + "\n");
  }
  // A partition of the disk sda.
  void cached(const std::string& kernel, const std::string& drive) const {
    write("sys/devices/sda/queue/write_cache", kernel + "\n");
    if (!drive.empty()) write("sys/devices/sda/device/scsi_disk/0:0:0:0/cache_type", drive + "\n");
    fs::create_directories(folder_ / "sys/devices/sda/sda1");
    fs::create_directory_symlink("../../devices/sda/sda1", folder_ / "sys/dev/block" / device_);
  }

  cli::DiskFacts facts() const {
    return cli::disk_facts(folder_ / "not/made/yet", folder_ / "proc", folder_ / "sys");
  }
  std::vector<std::string> reasons() const { return cli::reasons_for_distrust(facts()); }

  TempFolder folder_;
  std::string device_;
};

TEST_F(DiskFactsTest, TheMountOfTheFolderIsRead) {
  mounted("rw,noatime", "ext4", "rw,errors=remount-ro");
  EXPECT_EQ(facts().file_system, "ext4");
  EXPECT_EQ(facts().source, "/dev/sda1");
  EXPECT_EQ(facts().mount_point, "/srv/data");
  EXPECT_THAT(facts().options, ElementsAre("rw", "noatime", "errors=remount-ro"));
  EXPECT_THAT(reasons(), IsEmpty());
}

TEST_F(DiskFactsTest, OfSeveralPlacesOfADeviceTheInnermostCounts) {
  write("proc/mountinfo", "36 35 " + device_ + " / / rw - ext4 /dev/sda1 rw\n37 35 " + device_ + " / " +
                              folder_.path().string() + " rw,noatime - ext4 /dev/sda1 rw\n38 35 " + device_ +
                              " / /elsewhere ro - ext4 /dev/sda1 rw\n");
  EXPECT_EQ(facts().mount_point, folder_.path().string());
  EXPECT_THAT(facts().options, ElementsAre("rw", "noatime"));
}

TEST_F(DiskFactsTest, NothingKnownIsNoReason) {
  EXPECT_EQ(facts().file_system, "");
  EXPECT_THAT(reasons(), IsEmpty());
}

TEST_F(DiskFactsTest, MountsWithoutBarriersAreDistrusted) {
  mounted("rw", "ext4", "rw,nobarrier");
  EXPECT_THAT(reasons(), ElementsAre(HasSubstr("/srv/data is mounted with nobarrier")));
  mounted("rw", "ext3", "rw,barrier=0");
  EXPECT_THAT(reasons(), ElementsAre(HasSubstr("/srv/data is mounted with barrier=0")));
}

TEST_F(DiskFactsTest, MemoryAndVolatileOverlaysAreDistrusted) {
  mounted("rw", "tmpfs", "rw,size=1g");
  EXPECT_THAT(reasons(), ElementsAre(HasSubstr("in memory")));
  mounted("rw", "overlay", "rw,lowerdir=/l,upperdir=/u,workdir=/w,volatile");
  EXPECT_THAT(reasons(), ElementsAre(HasSubstr("volatile")));
  mounted("rw", "overlay", "rw,lowerdir=/l,upperdir=/u,workdir=/w");
  EXPECT_THAT(reasons(), IsEmpty());
}

TEST_F(DiskFactsTest, AWriteCacheThatTheKernelDoesNotFlushIsDistrusted) {
  mounted("rw", "ext4", "rw");
  cached("write through", "write back");
  EXPECT_EQ(facts().kernel_cache, "write through");
  EXPECT_THAT(reasons(),
              ElementsAre(HasSubstr("/dev/sda1 has a write cache that the kernel does not flush")));
}

TEST_F(DiskFactsTest, AWriteCacheThatIsFlushedIsTrusted) {
  mounted("rw", "ext4", "rw");
  cached("write back", "write back");
  EXPECT_THAT(reasons(), IsEmpty());
}

TEST_F(DiskFactsTest, ADriveWithoutAWriteCacheIsTrusted) {
  mounted("rw", "ext4", "rw");
  cached("write through", "");
  EXPECT_THAT(reasons(), IsEmpty());
}

class DoctorTest : public ::testing::Test {
 protected:
  static nlohmann::json doctor(const fs::path& data, int exit_code) {
    const Finished finished = run_cairn({"doctor", "--data", data.string(), "--json"});
    EXPECT_EQ(finished.exit_code, exit_code) << finished.output << finished.errors;
    return nlohmann::json::parse(finished.output);
  }
  static nlohmann::json check_in(const nlohmann::json& report, const std::string& name) {
    for (const auto& check : report["checks"]) {
      if (check["name"] == name) return check;
    }
    ADD_FAILURE() << "no check " << name << " in " << report;
    return {};
  }
  // A closed store with three events, the newest `ahead` of now.
  static void make_store(const fs::path& data, std::chrono::seconds ahead = {}) {
    StoreOptions options = small_store();
    options.clock = [ahead] {
      return Timestamp{system_time().micros + std::chrono::microseconds(ahead).count()};
    };
    auto store = EventStore::open(data, options);
    ASSERT_THAT(store, succeeds());
    for (const char* const note : {"\"one.\"", "\"two.\"", "\"three.\""})
      ASSERT_THAT((*store)->append(request({to("a-1", ExpectedVersion::any(), {event("Noted", note)})})),
                  succeeds());
  }
  // The check of that name says what was planted, and no other check of the store fails.
  static void expect_only(const nlohmann::json& report, const std::string& name, const std::string& says) {
    EXPECT_EQ(report["sound"], false);
    for (const auto& check : report["checks"]) {
      // In memory nothing is durable; the disks of the tests are small.
      if (check["name"] == "durability") continue;
      if (check["name"] == name) {
        EXPECT_EQ(check["verdict"], "failed") << check;
        EXPECT_THAT(check["text"].get<std::string>(), HasSubstr(says));
      } else {
        EXPECT_NE(check["verdict"], "failed") << check;
      }
    }
  }
  static void change_byte(const fs::path& file, const std::string& text) {
    std::fstream stream(file, std::ios::in | std::ios::out | std::ios::binary);
    const std::string bytes((std::istreambuf_iterator<char>(stream)), std::istreambuf_iterator<char>());
    stream.clear();
    ASSERT_NE(bytes.find(text), std::string::npos);
    for (auto at = bytes.find(text); at != std::string::npos; at = bytes.find(text, at + 1)) {
      stream.seekp(static_cast<std::streamoff>(at));
      stream.put('#');
    }
  }

  // What a server says on its way up.
  static std::string said_at_start(const fs::path& data) {
    CairnProcess server({"serve", "--data", data.string(), "--listen", "127.0.0.1:0"});
    EXPECT_THAT(server.first_line(), HasSubstr("serving"));
    server.signal(SIGTERM);
    return server.finish().errors;
  }
};

TEST_F(DoctorTest, ADiskThatSyncsIsTrusted) {
  const SmallDisk disk(SmallDisk::Kind::kExt4Journal, 64u << 20);
  if (!disk.missing().empty()) GTEST_SKIP() << disk.missing();
  const auto report = doctor(disk.path() / "data", 0);
  EXPECT_EQ(report["sound"], true);
  EXPECT_THAT(check_in(report, "file system")["text"], HasSubstr("ext4"));
  EXPECT_EQ(check_in(report, "durability")["verdict"], "ok");
  EXPECT_EQ(check_in(report, "space")["verdict"], "warning") << "less than 1 GiB";
  EXPECT_THAT(check_in(report, "sync latency")["text"], HasSubstr(" ms, at worst "));
  EXPECT_NE(check_in(report, "open files")["verdict"], "failed");
  EXPECT_FALSE(fs::exists(disk.path() / "data")) << "it leaves nothing behind";
  EXPECT_THAT(said_at_start(disk.path() / "data"), Not(HasSubstr("can be lost")));
}

TEST_F(DoctorTest, ADiskWithoutBarriersIsNotTrustedAndTheServerSaysSo) {
  const SmallDisk disk(SmallDisk::Kind::kExt4Journal, 64u << 20, "nobarrier");
  if (!disk.missing().empty()) GTEST_SKIP() << disk.missing();
  const auto report = doctor(disk.path() / "data", 1);
  EXPECT_EQ(report["sound"], false);
  EXPECT_EQ(check_in(report, "durability")["verdict"], "failed");
  EXPECT_THAT(check_in(report, "durability")["text"], HasSubstr("nobarrier"));
  EXPECT_THAT(said_at_start(disk.path() / "data"),
              HasSubstr("Acknowledged events can be lost when the power fails: " + disk.path().string() +
                        " is mounted with nobarrier"));
}

TEST_F(DoctorTest, WhatCannotBeAFolderIsNoPlaceForAStore) {
  const TempFolder folder(Medium::kDisk);
  std::ofstream(folder / "file") << "text";
  for (const fs::path& place : {folder / "file", folder / "file/data"}) {
    const auto report = doctor(place, 1);
    EXPECT_EQ(check_in(report, "folder")["verdict"], "failed") << place;
    EXPECT_THAT(check_in(report, "folder")["text"], HasSubstr("is not a folder"));
  }
  EXPECT_EQ(check_in(doctor("/proc/data", 1), "file system")["verdict"], "failed");
}

TEST_F(DoctorTest, TheTextSaysEachCheck) {
  const TempFolder folder(Medium::kDisk);
  make_store(folder / "data");
  const Finished finished = run_cairn({"doctor", "--data", (folder / "data").string()});
  EXPECT_THAT(finished.output, HasSubstr((folder / "data").string() + ": 13 checks, "));
  for (const char* name : {"folder", "owner", "file system", "durability", "space", "sync latency",
                           "open files", "limits", "memory", "clock", "versions", "damage", "lock"})
    EXPECT_THAT(finished.output, HasSubstr(std::string(" ") + name + " ")) << name;
  EXPECT_THAT(finished.output, HasSubstr("none in the newest 3 blocks with 3 events, of 3 in the log"));
  EXPECT_THAT(finished.errors, IsEmpty());
}

TEST_F(DoctorTest, AFileOfAnotherOwnerIsFound) {
  if (::geteuid() != 0) GTEST_SKIP() << "needs permission to change owners";
  const TempFolder folder(Medium::kDisk);
  make_store(folder / "data");
  ASSERT_EQ(::chown((folder / "data/log/data.mdb").c_str(), 65'534, 65'534), 0);
  expect_only(doctor(folder / "data", 1), "owner",
              "1 file in it belongs to another user, as log/data.mdb of ");
  ASSERT_EQ(::chown((folder / "data/log/data.mdb").c_str(), 0, 0), 0);
  EXPECT_EQ(check_in(doctor(folder / "data", 0), "owner")["verdict"], "ok");
}

TEST_F(DoctorTest, AFolderOfAnotherOwnerIsFound) {
  if (::geteuid() != 0) GTEST_SKIP() << "needs permission to change owners";
  const TempFolder folder(Medium::kDisk);
  make_store(folder / "data");
  ASSERT_EQ(::chown((folder / "data").c_str(), 65'534, 65'534), 0);
  expect_only(doctor(folder / "data", 1), "owner", "to another user");
}

TEST_F(DoctorTest, AFolderThatOthersCanWriteToIsFound) {
  const TempFolder folder(Medium::kDisk);
  make_store(folder / "data");
  fs::permissions(folder / "data", fs::perms::all);
  expect_only(doctor(folder / "data", 1), "owner", "others than the owner can write to the folder");
  fs::permissions(folder / "data", fs::perms::owner_all);
  fs::permissions(folder / "data/index/data.mdb", fs::perms::group_write, fs::perm_options::add);
  expect_only(doctor(folder / "data", 1), "owner", "can write to index/data.mdb");
}

TEST_F(DoctorTest, ADiskThatIsNearlyFullIsFound) {
  const SmallDisk disk(SmallDisk::Kind::kExt4Journal, 256u << 20);
  if (!disk.missing().empty()) GTEST_SKIP() << disk.missing();
  make_store(disk.path() / "data");
  EXPECT_NE(check_in(doctor(disk.path() / "data", 0), "space")["verdict"], "failed");
  struct statvfs space {};
  ASSERT_EQ(::statvfs(disk.path().c_str(), &space), 0);
  const auto left = static_cast<std::uint64_t>(space.f_blocks) * 2 / 100;  // 98 % full
  ASSERT_GT(space.f_bavail, left);
  const int file = ::open((disk.path() / "foreign").c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
  ASSERT_GE(file, 0);
  EXPECT_EQ(::fallocate(file, 0, 0, static_cast<off_t>((space.f_bavail - left) * space.f_frsize)), 0);
  ::close(file);
  expect_only(doctor(disk.path() / "data", 1), "space", "appends are refused when it is full");
}

TEST_F(DoctorTest, AReadOnlyMountIsFound) {
  const SmallDisk disk(SmallDisk::Kind::kExt4Journal, 256u << 20);
  if (!disk.missing().empty()) GTEST_SKIP() << disk.missing();
  make_store(disk.path() / "data");
  ASSERT_EQ(::mount(nullptr, disk.path().c_str(), nullptr, MS_REMOUNT | MS_RDONLY, nullptr), 0);
  const auto report = doctor(disk.path() / "data", 1);
  EXPECT_EQ(check_in(report, "file system")["verdict"], "failed");
  EXPECT_THAT(check_in(report, "file system")["text"], HasSubstr("mounted read-only"));
  EXPECT_EQ(check_in(report, "folder")["verdict"], "failed");
  EXPECT_EQ(check_in(report, "damage")["verdict"], "ok") << "the log can still be read";
}

TEST_F(DoctorTest, AClockBehindTheLogIsFound) {
  const TempFolder folder(Medium::kDisk);
  make_store(folder / "data", std::chrono::hours(2));
  expect_only(doctor(folder / "data", 1), "clock", " behind the newest event");
}

TEST_F(DoctorTest, ALowLimitOfOpenFilesIsFound) {
  const TempFolder folder(Medium::kDisk);
  make_store(folder / "data");
  ChildProcess limited({{"/bin/sh", "-c",
                         "ulimit -n 256; exec " + test_program("cairn").string() + " doctor --json --data " +
                             (folder / "data").string()},
                        {}});
  std::string output;
  while (auto line = limited.read_line()) output += *line;
  EXPECT_EQ(limited.wait().code, 1);
  expect_only(nlohmann::json::parse(output), "open files", "at most 256, one for each connection");
}

TEST_F(DoctorTest, TheLimitsOfTheServerAreThoseThatCount) {
  const TempFolder folder(Medium::kDisk);
  ChildProcess limited({{"/bin/sh", "-c",
                         "ulimit -n 512; exec " + test_program("cairn").string() +
                             " serve --listen 127.0.0.1:0 --data " + (folder / "data").string()},
                        {}});
  ASSERT_TRUE(limited.read_line());
  const auto report = doctor(folder / "data", 1);
  const std::string process = std::to_string(limited.pid());
  expect_only(report, "open files", "at most 512, of process " + process);
  EXPECT_EQ(check_in(report, "lock")["text"], "process " + process + " has the store open");
}

TEST_F(DoctorTest, ALimitOfAddressesOrFilesIsFound) {
  const TempFolder folder(Medium::kDisk);
  for (const auto& [limit, says] : {std::pair("ulimit -v 8000000", "the address space is limited to 7.6 GiB"),
                                    std::pair("ulimit -f 1000000", "files are limited to ")}) {
    ChildProcess limited({{"/bin/sh", "-c",
                           std::string(limit) + "; exec " + test_program("cairn").string() +
                               " doctor --json --data " + (folder / "data").string()},
                          {}});
    std::string output;
    while (auto line = limited.read_line()) output += *line;
    EXPECT_EQ(limited.wait().code, 1);
    expect_only(nlohmann::json::parse(output), "limits", says);
  }
}

TEST_F(DoctorTest, ADamagedBlockIsFound) {
  const TempFolder folder(Medium::kDisk);
  make_store(folder / "data");
  change_byte(folder / "data/log/data.mdb", "two.");
  expect_only(doctor(folder / "data", 1), "damage", "log block 2: ");
}

TEST_F(DoctorTest, ADamagedIdentityIsFound) {
  const TempFolder folder(Medium::kDisk);
  make_store(folder / "data");
  std::ofstream(folder / "data/cairn.json") << "{";
  expect_only(doctor(folder / "data", 1), "damage", "cairn.json");
}

TEST_F(DoctorTest, ALogThatIsMissingIsFound) {
  const TempFolder folder(Medium::kDisk);
  make_store(folder / "data");
  fs::remove(folder / "data/log/data.mdb");
  expect_only(doctor(folder / "data", 1), "damage", "its log, log/data.mdb, is missing");
}

TEST_F(DoctorTest, ItChangesNoFile) {
  const TempFolder folder(Medium::kDisk);
  make_store(folder / "data");
  const auto state = [&] {
    std::map<std::string, std::pair<std::uintmax_t, fs::file_time_type>> files;
    for (const auto& entry : fs::recursive_directory_iterator(folder / "data")) {
      if (entry.path().filename() == "lock.mdb") continue;  // the table of readers
      files[entry.path().string()] = {entry.is_regular_file() ? entry.file_size() : 0,
                                      entry.last_write_time()};
    }
    return files;
  };
  const auto before = state();
  doctor(folder / "data", 0);
  EXPECT_EQ(state(), before);
}

TEST_F(DoctorTest, BesideAServerTheNewestEventsAreChecked) {
  const TempFolder folder(Medium::kDisk);
  CairnProcess server(
      {"serve", "--data", (folder / "data").string(), "--listen", "127.0.0.1:0", "--schemas", "optional"});
  const std::string line = server.first_line();
  for (const char* const stream : {"a-1", "a-2"}) {
    EXPECT_EQ(
        run_cairn({"append", stream, "--type", "T", "--data", "1", "--url", line.substr(line.find("http"))})
            .exit_code,
        0);
  }
  const auto report = doctor(folder / "data", 0);
  EXPECT_THAT(check_in(report, "damage")["text"],
              HasSubstr("none in the newest 2 blocks with 2 events, of 2"));
  EXPECT_EQ(check_in(report, "lock")["text"],
            "process " + std::to_string(server.pid()) + " has the store open");
}

TEST_F(DoctorTest, AServerIsAsked) {
  const TempFolder folder(Medium::kDisk);
  CairnProcess server({"serve", "--data", (folder / "data").string(), "--listen", "127.0.0.1:0"});
  const std::string line = server.first_line();
  const std::string url = line.substr(line.find("http"));
  const Finished finished = run_cairn({"doctor", url, "--json"});
  EXPECT_EQ(finished.exit_code, 0) << finished.output << finished.errors;
  const auto report = nlohmann::json::parse(finished.output);
  EXPECT_EQ(report["url"], url);
  for (const char* const name : {"ready", "clock", "version"})
    EXPECT_EQ(check_in(report, name)["verdict"], "ok") << report;
  EXPECT_FALSE(check_in(report, "attention").is_null());
}

TEST_F(DoctorTest, AServerThatDoesNotAnswerIsExitCodeThree) {
  EXPECT_EQ(run_cairn({"doctor", "http://127.0.0.1:1"}).exit_code, 3);
  EXPECT_EQ(run_cairn({"doctor", "ftp://127.0.0.1"}).exit_code, 2);
  EXPECT_EQ(run_cairn({"doctor", "http://127.0.0.1:1", "--data", "x"}).exit_code, 2);
}

}  // namespace
}  // namespace cairn::test
