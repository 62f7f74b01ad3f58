// The lines about an index that is built from the log.

#include <atomic>
#include <chrono>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "tests/support/format_1_index.h"
#include "tests/support/store_fixture.h"

namespace cairn::test {
namespace {

class RebuildLogTest : public StoreTest {
 protected:
  std::vector<LogEvent> lines(std::string_view code) {
    std::vector<LogEvent> found;
    for (const LogEvent& line : logged()) {
      if (line.code == code) found.push_back(line);
    }
    return found;
  }
  static std::uint64_t number(const LogEvent& line, std::string_view name) {
    for (const LogField& field : line.fields) {
      if (field.name == name) return std::get<std::uint64_t>(field.value);
    }
    ADD_FAILURE() << line.message << " has no " << name;
    return 0;
  }
  void lose_index() {
    close();
    std::filesystem::remove_all(folder() / "index");
  }
};

TEST_F(RebuildLogTest, ALostIndexHasALineAtItsBeginningAndItsEnd) {
  for (int i = 0; i < 20; ++i) append("cart-1", {"A"});
  EXPECT_TRUE(lines("index-rebuild-began").empty());
  lose_index();
  open();
  ASSERT_EQ(lines("index-rebuild-began").size(), 1u);
  EXPECT_EQ(number(lines("index-rebuild-began")[0], "position"), 0u);
  EXPECT_EQ(number(lines("index-rebuild-began")[0], "head"), 20u);
  EXPECT_THAT(lines("index-rebuild-began")[0].message, ::testing::HasSubstr((folder() / "index").string()));
  ASSERT_EQ(lines("index-rebuild-ended").size(), 1u);
  EXPECT_EQ(number(lines("index-rebuild-ended")[0], "events"), 20u);
  EXPECT_TRUE(lines("index-rebuild-progress").empty()) << "it took less than 10 s";
}

TEST_F(RebuildLogTest, ProgressIsLoggedEveryTenSecondsAtMost) {
  for (int i = 0; i < 100; ++i) append("cart-1", {"A"});
  lose_index();
  // Each look at the clock takes a second. It is looked at twice for each block.
  options().clock = [micros = std::make_shared<std::atomic<std::int64_t>>(ManualClock::kStart)] {
    return Timestamp{micros->fetch_add(ManualClock::kSecond)};
  };
  open();
  const auto progress = lines("index-rebuild-progress");
  EXPECT_GE(progress.size(), 2u);
  EXPECT_LE(progress.size(), 20u);
  std::uint64_t before = 0;
  for (const LogEvent& line : progress) {
    EXPECT_GT(number(line, "position"), before);
    EXPECT_EQ(number(line, "head"), 100u);
    EXPECT_GE(number(line, "durationMs"), 10'000u);
    before = number(line, "position");
  }
}

TEST_F(RebuildLogTest, TheTermsThatAnOlderIndexLacksHaveTheSameLines) {
  options().log_format = LogFormat::k1;
  for (int i = 0; i < 30; ++i) append("cart-1", {"A"});
  close();
  ASSERT_THAT(make_format_1_index(folder()), succeeds());
  options().log_format = LogFormat::k2;
  open();
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  while (lines("index-rebuild-ended").empty() && std::chrono::steady_clock::now() < deadline)
    std::this_thread::yield();
  ASSERT_EQ(lines("index-rebuild-began").size(), 1u);
  EXPECT_THAT(lines("index-rebuild-began")[0].message, ::testing::HasSubstr("is of version 0.1"));
  ASSERT_EQ(lines("index-rebuild-ended").size(), 1u);
  EXPECT_EQ(number(lines("index-rebuild-ended")[0], "events"), 30u);
}

}  // namespace
}  // namespace cairn::test
