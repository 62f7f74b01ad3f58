// What the log says about projections: each line once, and none without bound.

#include "tests/projections/daemon/daemon_fixture.h"

namespace cairn::test {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

const std::string kRefusing = projection(
    "    Added = function(row, event)\n"
    "      if event.data.cents < 0 then error('negative') end\n"
    "      row.n = (row.n or 0) + 1\n"
    "    end,",
    " key = function(event) return event.data.customer end,");

class LogLinesTest : public DaemonTest {
 protected:
  static std::string text(const LogEvent& line, std::string_view name) {
    for (const LogField& field : line.fields) {
      if (field.name != name) continue;
      if (const auto* number = std::get_if<std::uint64_t>(&field.value)) return std::to_string(*number);
      if (const auto* said = std::get_if<std::string>(&field.value)) return *said;
    }
    return "none";
  }
  void pass_seconds(std::int64_t seconds) { clock().advance(seconds * ManualClock::kSecond); }
};

TEST_F(LogLinesTest, TheFirstParkedKeyIsLoggedWithItsPlaceAndReason) {
  has_projection("customers", kRefusing);
  added("order-1", "ada", 5);
  added("order-1", "ada", -1);
  settle();
  const auto parked = lines("key-parked");
  ASSERT_THAT(parked, SizeIs(1));
  EXPECT_EQ(parked[0].level, LogLevel::kWarning);
  EXPECT_EQ(text(parked[0], "projection"), "customers");
  EXPECT_EQ(text(parked[0], "key"), "ada");
  EXPECT_EQ(text(parked[0], "position"), "3");
  EXPECT_EQ(text(parked[0], "type"), "Added");
  EXPECT_EQ(text(parked[0], "line"), "4");
  EXPECT_EQ(text(parked[0], "parkedKeys"), "1");
  EXPECT_THAT(text(parked[0], "error"), HasSubstr("negative"));
  EXPECT_THAT(parked[0].message,
              HasSubstr("Projection customers: key 'ada' is parked at position 3 (Added): "));
}

TEST_F(LogLinesTest, FurtherParkedKeysAreCountedOnceAMinute) {
  has_projection("customers", kRefusing);
  added("order-1", "first", -1);
  settle();
  for (int i = 0; i < 30; ++i) {
    added("order-1", "c" + std::to_string(i), -1);
    settle();
  }
  EXPECT_THAT(lines("key-parked"), SizeIs(1));
  pass_seconds(61);
  settle();
  const auto parked = lines("key-parked");
  ASSERT_THAT(parked, SizeIs(2)) << "the count comes without another event";
  EXPECT_EQ(text(parked[1], "key"), "c29");
  EXPECT_EQ(text(parked[1], "parkedKeys"), "31");
  EXPECT_EQ(text(parked[1], "suppressed"), "29");
  pass_seconds(61);
  settle();
  EXPECT_THAT(lines("key-parked"), SizeIs(2)) << "nothing was parked since";
}

}  // namespace
}  // namespace cairn::test
