// Snapshots are stored with the index and found again; damage to them affects nothing else.

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <thread>
#include <vector>

#include "eventstore/base/limits.h"
#include "tests/support/numbered_events.h"
#include "tests/support/small_disk.h"
#include "tests/support/store_fixture.h"

namespace cairn::test {
namespace {

class SnapshotsTest : public StoreTest {
 protected:
  void put(const std::string& stream, std::uint64_t version, const std::string& bytes) {
    const std::vector<SnapshotRecord> one{{stream, {version}, bytes}};
    ASSERT_THAT(store().put_snapshots(one), succeeds());
  }

  // "7: bytes", or "none"; with the damaged ones that were skipped.
  std::string newest(const std::string& stream, std::uint64_t at_most = ~0ull) {
    const auto found = value_of(store().find_snapshot(stream, {at_most}));
    std::string text =
        found.newest ? std::to_string(found.newest->version.value) + ": " + found.newest->bytes : "none";
    for (const StreamVersion version : found.damaged) text += ", damaged " + std::to_string(version.value);
    return text;
  }

  std::vector<std::uint64_t> versions(const std::string& stream) {
    std::vector<std::uint64_t> found;
    for (const SnapshotInfo& one : value_of(store().list_snapshots(stream)))
      found.push_back(one.version.value);
    return found;
  }

  std::vector<std::string> streams(SnapshotStreamsQuery query = {}) {
    std::vector<std::string> found;
    for (;;) {
      const auto page = value_of(store().list_snapshot_streams(query));
      for (const SnapshotStream& one : page.streams) {
        found.push_back(one.stream + " " + std::to_string(one.snapshots) + " " +
                        std::to_string(one.newest.value));
      }
      if (!page.next) return found;
      query.after = *page.next;
    }
  }

  // Damages the file of the closed index wherever `text` occurs in it.
  void damage(const std::string& text) {
    close();
    const std::filesystem::path file = folder() / "index" / "data.mdb";
    std::ifstream in(file, std::ios::binary);
    std::string bytes(std::istreambuf_iterator<char>(in), {});
    in.close();
    std::size_t places = 0;
    for (std::size_t at = bytes.find(text); at != std::string::npos; at = bytes.find(text, at + 1)) {
      bytes[at] = static_cast<char>(bytes[at] ^ 0x20);
      ++places;
    }
    ASSERT_GT(places, 0u);
    std::ofstream(file, std::ios::binary).write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  }
};

TEST_F(SnapshotsTest, TheNewestAtOrBelowAVersionIsFound) {
  put("cart-1", 10, "ten");
  put("cart-1", 300, "three hundred");
  put("cart-1", 20, "twenty");
  EXPECT_EQ(newest("cart-1"), "300: three hundred");
  EXPECT_EQ(newest("cart-1", 300), "300: three hundred");
  EXPECT_EQ(newest("cart-1", 299), "20: twenty");
  EXPECT_EQ(newest("cart-1", 19), "10: ten");
  EXPECT_EQ(newest("cart-1", 9), "none");
  EXPECT_EQ(versions("cart-1"), (std::vector<std::uint64_t>{10, 20, 300}));
}

TEST_F(SnapshotsTest, AStreamFindsOnlyItsOwn) {
  put("cart", 5, "of cart");
  put("cart-10", 7, "of cart-10");
  EXPECT_EQ(newest("cart-1"), "none");
  EXPECT_EQ(newest("car"), "none");
  EXPECT_EQ(newest("cart"), "5: of cart");
  EXPECT_EQ(newest(std::string(200, 'x')), "none");
  EXPECT_EQ(newest(std::string(1'000, 'x')), "none");
  EXPECT_EQ(newest(std::string("cart\0", 5)), "none");
  EXPECT_EQ(newest(""), "none");
}

TEST_F(SnapshotsTest, ASnapshotReplacesThatOfItsVersionAndDropsOthers) {
  put("cart-1", 1, "one");
  put("cart-1", 2, "two");
  const std::vector<SnapshotRecord> again{{"cart-1", {2}, "second"}};
  const std::vector<SnapshotKey> drop{{"cart-1", {1}}, {"cart-9", {4}}};
  ASSERT_THAT(store().put_snapshots(again, drop), succeeds());
  EXPECT_EQ(newest("cart-1"), "2: second");
  EXPECT_EQ(versions("cart-1"), std::vector<std::uint64_t>{2});
}

TEST_F(SnapshotsTest, SnapshotsSurviveAReopenAndAFlush) {
  append("cart-1", {"Added", "Added"});
  put("cart-1", 2, "two");
  flush();
  append("cart-1", {"Added"});
  reopen();
  EXPECT_EQ(newest("cart-1"), "2: two");
  EXPECT_EQ(version_of("cart-1"), 3u);
  expect_sound();
}

TEST_F(SnapshotsTest, ALongNameAndALargeValueFit) {
  const std::string name(limits::kStreamNameBytesMax, 'n');
  const std::string large(limits::kSnapshotBytesMax, 'v');
  put(name, ~0ull, large);
  EXPECT_EQ(newest(name), std::to_string(~0ull) + ": " + large);
  expect_sound();
}

TEST_F(SnapshotsTest, AnInvalidSnapshotIsRefusedAndNothingIsStored) {
  const auto refused = [&](SnapshotRecord wrong) {
    const std::vector<SnapshotRecord> both{{"cart-1", {1}, "right"}, std::move(wrong)};
    return store().put_snapshots(both);
  };
  EXPECT_THAT(refused({"cart-2", {1}, std::string(limits::kSnapshotBytesMax + 1, 'v')}),
              fails_with(Errc::kTooLarge));
  EXPECT_THAT(refused({"cart-2", {0}, "x"}), fails_with(Errc::kInvalidArgument));
  EXPECT_THAT(refused({"", {1}, "x"}), fails_with(Errc::kInvalidArgument));
  EXPECT_THAT(refused({std::string("a\0b", 3), {1}, "x"}), fails_with(Errc::kInvalidArgument));
  EXPECT_THAT(refused({std::string(201, 'n'), {1}, "x"}), fails_with(Errc::kInvalidArgument));
  EXPECT_EQ(newest("cart-1"), "none");
}

TEST_F(SnapshotsTest, ADamagedSnapshotReadsAsAbsent) {
  append("cart-1", {"Added"});
  put("cart-1", 1, "the first snapshot");
  put("cart-1", 2, "the second snapshot");
  put("cart-1", 3, "the third snapshot");
  put("cart-2", 3, std::string(50'000, 'x') + "far away");
  damage("second");
  damage("third");
  damage("far away");
  EXPECT_EQ(newest("cart-1"), "1: the first snapshot, damaged 3, damaged 2");
  EXPECT_EQ(newest("cart-2"), "none, damaged 3");
  EXPECT_EQ(version_of("cart-1"), 1u);
  const auto listed = value_of(store().list_snapshots("cart-1"));
  ASSERT_EQ(listed.size(), 3u);
  EXPECT_FALSE(listed[0].damaged);
  EXPECT_TRUE(listed[1].damaged);

  close();
  const auto report = value_of(verify_store(folder()));
  EXPECT_TRUE(report.sound());
  EXPECT_EQ(report.snapshots, 4u);
  EXPECT_EQ(report.snapshots_damaged, 3u);
  put("cart-1", 3, "a new third one");
  EXPECT_EQ(newest("cart-1"), "3: a new third one");
}

TEST_F(SnapshotsTest, PruningKeepsTheNewest) {
  for (std::uint64_t version = 1; version <= 10; ++version) put("cart-1", version, "x");
  put("cart-2", 1, "y");
  EXPECT_EQ(value_of(store().prune_snapshots("cart-1", 3)), 7u);
  EXPECT_EQ(versions("cart-1"), (std::vector<std::uint64_t>{8, 9, 10}));
  EXPECT_EQ(value_of(store().prune_snapshots("cart-1", 3)), 0u);
  EXPECT_EQ(value_of(store().prune_snapshots("cart-1", 0)), 3u);
  EXPECT_EQ(value_of(store().prune_snapshots("nobody", 0)), 0u);
  EXPECT_EQ(newest("cart-1"), "none");
  EXPECT_EQ(newest("cart-2"), "1: y");
}

TEST_F(SnapshotsTest, StreamsWithSnapshotsAreListedByCategoryAndPage) {
  std::vector<SnapshotRecord> many;
  for (const char* stream : {"cart", "cart!x-1", "cart-1", "cart-2", "carts-1", "order-1"}) {
    many.push_back({stream, {3}, "abc"});
    many.push_back({stream, {9}, "abcdef"});
  }
  ASSERT_THAT(store().put_snapshots(many), succeeds());
  for (const std::size_t limit : {1u, 2u, 100u}) {
    EXPECT_EQ(streams({.limit = limit}),
              (std::vector<std::string>{"cart 2 9", "cart!x-1 2 9", "cart-1 2 9", "cart-2 2 9", "carts-1 2 9",
                                        "order-1 2 9"}));
    EXPECT_EQ(streams({.category = "cart", .limit = limit}),
              (std::vector<std::string>{"cart 2 9", "cart-1 2 9", "cart-2 2 9"}));
  }
  EXPECT_EQ(streams({.category = "order", .after = "order-1"}), std::vector<std::string>{});
}

TEST_F(SnapshotsTest, ManyStreamsInOneStep) {
  std::vector<SnapshotRecord> many;
  for (int i = 0; i < 5'000; ++i) {
    many.push_back({"cart-" + std::to_string(i), {20}, "state of " + std::to_string(i)});
  }
  ASSERT_THAT(store().put_snapshots(many), succeeds());
  reopen();
  EXPECT_EQ(newest("cart-0"), "20: state of 0");
  EXPECT_EQ(newest("cart-4999"), "20: state of 4999");
  EXPECT_EQ(streams({.limit = 700}).size(), 5'000u);
  expect_sound();
}

TEST_F(SnapshotsTest, TheMapGrowsForSnapshots) {
  options().index_map_bytes = 2u << 20;
  for (int i = 0; i < 8; ++i) put("cart-" + std::to_string(i), 1, std::string(1u << 20, 'v'));
  append("cart-1", {"Added"});
  flush();
  EXPECT_EQ(streams().size(), 8u);
  expect_sound();
}

// Both write to the same LMDB environment; their transactions must not interleave.
TEST_F(SnapshotsTest, FlushesAndSnapshotsDoNotInterfere) {
  options().tail_events_flush = 50;
  options().index_map_bytes = 1u << 20;
  store();
  std::thread snapshots([&] {
    for (std::uint64_t version = 1; version <= 200; ++version)
      put("cart-1", version, std::string(20'000, 's'));
  });
  for (std::uint64_t i = 1; i <= 1'500; ++i)
    append("cart-" + std::to_string(i % 9), {numbered_event(i, 100)});
  snapshots.join();
  flush();
  EXPECT_EQ(versions("cart-1").size(), 200u);
  EXPECT_EQ(head(), 1'500u);
  expect_sound();
}

TEST_F(SnapshotsTest, ARebuiltIndexHasNoSnapshotsAndIsComplete) {
  append("cart-1", {"Added"});
  put("cart-1", 1, "one");
  close();
  std::filesystem::remove_all(folder() / "index");
  EXPECT_EQ(newest("cart-1"), "none");
  EXPECT_EQ(version_of("cart-1"), 1u);
  expect_sound();
}

TEST(SnapshotsOnAFullDiskTest, SnapshotsAreRefusedAndNothingElseFails) {
  SmallDisk disk(SmallDisk::Kind::kTmpfs, 12u << 20);
  if (!disk.missing().empty()) GTEST_SKIP() << disk.missing();
  auto store = EventStore::open(disk.path() / "data", small_store());
  ASSERT_THAT(store, succeeds());
  ASSERT_THAT((*store)->append(request({to("cart-1", ExpectedVersion::any(), {numbered_event(1, 100)})})),
              succeeds());
  Status status;
  std::uint64_t kept = 0;
  for (; kept < 100 && status.ok(); ++kept) {
    const std::vector<SnapshotRecord> one{{"cart-1", {kept + 1}, std::string(1u << 20, 'v')}};
    status = (*store)->put_snapshots(one);
  }
  ASSERT_THAT(status, fails_with(Errc::kDiskFull));
  const auto found = (*store)->find_snapshot("cart-1", {~0ull});
  ASSERT_THAT(found, succeeds());
  EXPECT_EQ(found->newest->version.value, kept - 1);
  ASSERT_THAT((*store)->prune_snapshots("cart-1", 1), succeeds());
  ASSERT_THAT((*store)->append(request({to("cart-1", ExpectedVersion::any(), {numbered_event(2, 100)})})),
              succeeds());
  ASSERT_THAT((*store)->flush_index(), succeeds());
  store->reset();
  const auto report = verify_store(disk.path() / "data");
  ASSERT_THAT(report, succeeds());
  EXPECT_TRUE(report->sound());
}

}  // namespace
}  // namespace cairn::test
