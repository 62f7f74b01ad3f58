// `cairn doctor`, and what a server says at its start about a disk that loses what it has synced.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "tests/support/cairn_process.h"
#include "tests/support/small_disk.h"
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
  const Finished finished = run_cairn({"doctor", "--data", folder.path().string()});
  for (const char* name : {"folder", "file system", "durability", "space", "sync latency", "open files"})
    EXPECT_THAT(finished.output, HasSubstr(name));
  EXPECT_THAT(finished.errors, IsEmpty());
}

}  // namespace
}  // namespace cairn::test
