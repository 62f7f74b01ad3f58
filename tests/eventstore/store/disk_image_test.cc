// Power cuts, from a recording. Every write and sync of a store's files is recorded; images keep what was
// synced and a random part, by sectors, of what was not. The store opens on each of them and has everything
// that was acknowledged or shown before.

#include <csignal>
#include <string>
#include <vector>

#include "tests/support/child_process.h"
#include "tests/support/crash_plan.h"
#include "tests/support/disk_images.h"
#include "tests/support/random.h"
#include "tests/support/scale.h"
#include "tests/support/store_fixture.h"

namespace cairn::test {
namespace {

constexpr std::size_t kImagesOfARecording = 50;

class DiskImageTest : public ::testing::Test {
 protected:
  explicit DiskImageTest() : random_("DiskImageTest") {}

  static std::filesystem::path data_in(const std::filesystem::path& folder) {
    return folder / "made" / "data";
  }

  // One life of the store; killed after so many changes, or not with 0.
  void live(DiskImages& images, std::uint32_t life, std::uint64_t kill_after, std::uint32_t appends,
            bool syncs = true) {
    ChildProcess::Command command{{test_program("append_child").string(), data_in(images.folder()).string(),
                                   std::to_string(life), std::to_string(appends)},
                                  {}};
    if (!syncs) preload(command, test_preload("no_sync_preload"));
    images.connect(command);
    images.kill_after(kill_after);
    ChildProcess child(command);
    while (auto line = child.read_line()) {
    }
    const Exit exit = child.wait();
    ASSERT_TRUE(exit.clean() || exit.signal == SIGKILL) << describe(exit);
  }

  // Lives of one store: two that are killed at a random change, and one that ends by itself.
  void record(DiskImages& images, bool syncs = true) {
    for (const std::uint32_t life : {0u, 1u, 2u}) {
      live(images, life, life < 2 ? random_.between(20, 800) : 0, 25, syncs);
      if (HasFatalFailure()) return;
    }
    images.load();
    // The first two lives may end after 20 of them.
    ASSERT_GT(images.records(), 100u) << "the changes are not seen";
  }

  // "" or what the image of a cut after `records` records lacks.
  std::string loss(const DiskImages& images, std::size_t records) {
    TempFolder cut;
    images.make(records, random_, cut.path());
    CrashHistory history;
    for (const std::string& line : images.lines_before(records)) history.hear(line);
    {
      auto store = EventStore::open(data_in(cut.path()), small_store());
      if (!store.ok()) return "the store does not open: " + store.error().message;
      auto scanned = scan_all(**store);
      if (!scanned.ok()) return "the log cannot be read: " + scanned.error().message;
      std::string broken = history.broken_promise(*scanned);
      if (!broken.empty()) return broken;
    }
    auto report = verify_store(data_in(cut.path()));
    if (!report.ok()) return "verify fails: " + report.error().message;
    return report->sound() ? "" : report->findings.at(0).place + ": " + report->findings.at(0).what;
  }

  // A moment of a recording; some of them in the first moments of the store.
  std::size_t any_moment(const DiskImages& images) {
    return random_.one_in(4) ? random_.below(80) : random_.below(images.records() + 1);
  }

  Random random_;
};

TEST_F(DiskImageTest, NothingAcknowledgedOrShownIsLostInAnyImage) {
  for (std::size_t left = rounds(50, 1'000); left > 0;) {
    DiskImages images;
    record(images);
    if (HasFatalFailure()) return;
    for (std::size_t i = 0; i < kImagesOfARecording && left > 0; ++i, --left) {
      const std::size_t records = any_moment(images);
      ASSERT_EQ(loss(images, records), "") << "cut after " << records << " of " << images.records();
    }
  }
}

// A first start that is killed at any change leaves names that were not synced. The next start serves the store
// under them, so they must not be lost later.
TEST_F(DiskImageTest, WhatAKilledFirstStartLeftIsDurableInTheNext) {
  constexpr int kImages = 3;
  bool made = false;
  std::uint64_t kill_after = 1;
  for (; !made; ++kill_after) {
    DiskImages images;
    live(images, 0, kill_after, 1);
    if (HasFatalFailure()) return;
    images.load();
    made = !images.lines_before(images.records()).empty();
    live(images, 1, 0, 2);
    if (HasFatalFailure()) return;
    images.load();
    for (int i = 0; i < kImages; ++i) {
      ASSERT_EQ(loss(images, images.records()), "") << "killed after " << kill_after << " changes";
    }
  }
  EXPECT_GT(kill_after, 20u) << "the changes are not seen";
}

// The recording is complete: with all of it applied, the files are those that the programs left.
TEST_F(DiskImageTest, TheWholeRecordingIsTheFolder) {
  DiskImages images;
  record(images);
  if (HasFatalFailure()) return;
  TempFolder whole;
  images.make_whole(whole.path());
  const auto files_in = [](const std::filesystem::path& folder) {
    std::map<std::string, std::string> files;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
      // LMDB writes lock files through a map; what is in them dies with the processes.
      if (!entry.is_regular_file() || entry.path().filename() == "lock.mdb") continue;
      std::ostringstream content;
      content << std::ifstream(entry.path(), std::ios::binary).rdbuf();
      files[std::filesystem::relative(entry.path(), folder).string()] = content.str();
    }
    return files;
  };
  const auto expected = files_in(images.folder()), made = files_in(whole.path());
  ASSERT_GE(expected.size(), 4u);
  for (const auto& [name, content] : expected) {
    ASSERT_TRUE(made.contains(name)) << name;
    EXPECT_TRUE(made.at(name) == content) << name << " differs, " << content.size() << " bytes";
  }
  EXPECT_EQ(made.size(), expected.size());
}

// The first test would catch it if nothing were synced.
TEST_F(DiskImageTest, AProgramThatDoesNotSyncIsCaught) {
  DiskImages images;
  record(images, false);
  if (HasFatalFailure()) return;
  std::size_t lost = 0;
  for (int i = 0; i < 20; ++i) lost += loss(images, any_moment(images)).empty() ? 0 : 1;
  EXPECT_GT(lost, 0u) << "nothing was synced, and nothing is missed";
}

}  // namespace
}  // namespace cairn::test
