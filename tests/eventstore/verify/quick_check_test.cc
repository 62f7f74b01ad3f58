// quick_check_store(): finds damage at the end of a log, within a time, and changes nothing.

#include "eventstore/quick_check.h"

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "tests/support/store_fixture.h"

namespace cairn::test {
namespace {

using ::testing::Eq;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Lt;
using ::testing::SizeIs;

class QuickCheckTest : public StoreTest {
 protected:
  QuickCheck check(QuickCheckOptions with = {}) {
    with.now = clock().now();
    const auto checked = quick_check_store(folder(), with);
    EXPECT_THAT(checked, succeeds());
    return checked.ok() ? *checked : QuickCheck{};
  }

  // Changes one byte in every copy of a text in a file.
  void damage(const std::filesystem::path& file, const std::string& text) {
    std::fstream stream(folder() / file, std::ios::in | std::ios::out | std::ios::binary);
    const std::string bytes((std::istreambuf_iterator<char>(stream)), std::istreambuf_iterator<char>());
    stream.clear();
    ASSERT_NE(bytes.find(text), std::string::npos);
    for (auto at = bytes.find(text); at != std::string::npos; at = bytes.find(text, at + 1)) {
      stream.seekp(static_cast<std::streamoff>(at));
      stream.put('#');
    }
  }
  void append_blocks(int count) {
    for (int n = 1; n <= count; ++n)
      append("cart-" + std::to_string(n), {event("Noted", "\"note " + std::to_string(n) + ".\"")});
  }
};

TEST_F(QuickCheckTest, ASoundStoreIsDescribed) {
  append_blocks(3);
  flush();
  append_blocks(2);
  close();
  const QuickCheck found = check();
  EXPECT_THAT(found.findings, IsEmpty());
  EXPECT_EQ(found.blocks, 5u);
  EXPECT_EQ(found.events, 5u);
  EXPECT_EQ(found.head, 5u);
  EXPECT_EQ(found.indexed_through, 5u) << "closing flushes";
  EXPECT_THAT(found.index_format, Eq(2u));
  EXPECT_EQ(found.newest_at->micros, clock().now().micros);
  EXPECT_TRUE(found.in_time);
  EXPECT_FALSE(found.is_open);
  EXPECT_GT(found.log_bytes, 0u);
}

TEST_F(QuickCheckTest, AnEmptyStoreHasNoTimes) {
  open();
  close();
  const QuickCheck found = check();
  EXPECT_THAT(found.findings, IsEmpty());
  EXPECT_EQ(found.head, 0u);
  EXPECT_THAT(found.newest_at, Eq(std::nullopt));
}

TEST_F(QuickCheckTest, OnlyTheNewestBlocksAreRead) {
  append_blocks(20);
  close();
  damage("log/data.mdb", "note 3.");
  EXPECT_THAT(check({.blocks_max = 10}).findings, IsEmpty()) << "verify_store() finds it";
  EXPECT_EQ(check({.blocks_max = 10}).blocks, 10u);
  const QuickCheck all = check();
  ASSERT_THAT(all.findings, SizeIs(1));
  EXPECT_EQ(all.findings[0].place, "log block 3");
}

TEST_F(QuickCheckTest, ADamagedNewestBlockIsFound) {
  append_blocks(20);
  close();
  damage("log/data.mdb", "note 20.");
  EXPECT_THAT(check().findings, SizeIs(1));
}

TEST_F(QuickCheckTest, TheTimeEndsTheCheckAndTheHeadIsKnown) {
  append_blocks(20);
  close();
  const QuickCheck found = check({.time_max = std::chrono::milliseconds(0)});
  EXPECT_FALSE(found.in_time);
  EXPECT_THAT(found.blocks, Lt(20u));
  EXPECT_EQ(found.head, 20u);
  EXPECT_THAT(found.findings, IsEmpty());
}

TEST_F(QuickCheckTest, EventsOfTheLastDayAreCounted) {
  append_blocks(5);
  clock().advance_days(2);
  append_blocks(3);
  clock().advance(ManualClock::kHour);
  close();
  const QuickCheck found = check();
  EXPECT_EQ(found.recent_events, 3u);
  EXPECT_EQ(found.oldest_at->micros, ManualClock::kStart);
}

TEST_F(QuickCheckTest, AnIndexOfAnotherLogIsFound) {
  append_blocks(5);
  close();
  const TempFolder other;
  copy_folder(folder() / "index", other / "index");
  std::filesystem::remove_all(folder());
  std::filesystem::create_directory(folder());
  append_blocks(5);
  close();
  copy_folder(other / "index", folder() / "index");
  const QuickCheck found = check();
  ASSERT_THAT(found.findings, SizeIs(1));
  EXPECT_EQ(found.findings[0].place, "index state");
  EXPECT_THAT(found.findings[0].what, HasSubstr("store"));
}

TEST_F(QuickCheckTest, WhatIsNoStoreIsAnError) {
  EXPECT_THAT(quick_check_store(folder(), {}), fails_with(Errc::kNotFound));
  append_blocks(1);
  close();
  std::filesystem::remove(folder() / "log" / "data.mdb");
  EXPECT_THAT(quick_check_store(folder(), {}), fails_with(Errc::kCorruption));
}

}  // namespace
}  // namespace cairn::test
