#include "eventstore/base/log_throttle.h"

#include <gtest/gtest.h>

#include <string>

#include "tests/support/manual_clock.h"

namespace cairn::test {
namespace {

class LogThrottleTest : public ::testing::Test {
 protected:
  Timestamp now() const { return clock_.now(); }
  ManualClock clock_;
};

TEST_F(LogThrottleTest, TheFirstLinePassesAndThenOneAMinuteWithTheNumberSuppressed) {
  LogThrottle throttle;
  EXPECT_EQ(throttle.take(now()), 0u);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(throttle.take(now()), std::nullopt);
  clock_.advance(59 * ManualClock::kSecond);
  EXPECT_EQ(throttle.take(now()), std::nullopt);
  clock_.advance(ManualClock::kSecond);
  EXPECT_EQ(throttle.take(now()), 4u);
  EXPECT_EQ(throttle.take(now()), std::nullopt);
  clock_.advance(60 * ManualClock::kSecond);
  EXPECT_EQ(throttle.take(now()), 1u);
}

TEST_F(LogThrottleTest, AClockThatIsSetBackDoesNotSilenceIt) {
  LogThrottle throttle;
  EXPECT_EQ(throttle.take(now()), 0u);
  clock_.advance(-ManualClock::kHour);
  EXPECT_EQ(throttle.take(now()), 0u);
}

TEST_F(LogThrottleTest, KeysDoNotSuppressEachOther) {
  KeyedLogThrottle throttle(2);
  EXPECT_EQ(throttle.take("a", now()), 0u);
  EXPECT_EQ(throttle.take("b", now()), 0u);
  EXPECT_EQ(throttle.take("a", now()), std::nullopt);
  EXPECT_EQ(throttle.take("b", now()), std::nullopt);
}

TEST_F(LogThrottleTest, AnyNumberOfKeysCausesABoundedNumberOfLines) {
  constexpr std::size_t kKeys = 8;
  KeyedLogThrottle throttle(kKeys);
  std::uint64_t lines = 0, suppressed = 0;
  const auto flood = [&] {
    for (int i = 0; i < 1'000; ++i) {
      const auto taken = throttle.take("key-" + std::to_string(i), now());
      lines += taken.has_value() ? 1 : 0;
      suppressed += taken.value_or(0);
    }
  };
  flood();
  EXPECT_EQ(lines, kKeys + 1) << "the others share one";
  EXPECT_EQ(throttle.size(), kKeys);
  clock_.advance(60 * ManualClock::kSecond);
  flood();
  EXPECT_LE(lines, 2 * (kKeys + 1));
  EXPECT_EQ(suppressed, 1'000 - kKeys - 1) << "no line is lost from the count";
  EXPECT_LE(throttle.size(), kKeys);
}

TEST_F(LogThrottleTest, TheNumberSuppressedIsAFieldAndPartOfTheMessage) {
  LogEvent event(LogLevel::kInfo, "test", "It happened");
  add_suppressed(event, 0);
  EXPECT_EQ(event.message, "It happened");
  EXPECT_TRUE(event.fields.empty());
  add_suppressed(event, 3);
  EXPECT_EQ(event.message, "It happened (3 similar lines suppressed)");
  ASSERT_EQ(event.fields.size(), 1u);
  EXPECT_EQ(event.fields[0].name, "suppressed");
  EXPECT_EQ(std::get<std::uint64_t>(event.fields[0].value), 3u);
}

}  // namespace
}  // namespace cairn::test
