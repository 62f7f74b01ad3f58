// Appends with conditions that exclude each other, from several threads.

#include <atomic>
#include <string>
#include <thread>
#include <vector>

#include "tests/support/scale.h"
#include "tests/support/store_fixture.h"

namespace cairn::test {
namespace {

class ConditionRaceTest : public StoreTest {
 protected:
  static AppendRequest reserve(const std::string& guest, const std::string& seat, std::uint64_t after) {
    NewEvent reserved = event("Reserved");
    reserved.tags = {seat, "guest"};
    AppendRequest made = request({to(guest, ExpectedVersion::any(), {std::move(reserved)})});
    made.checks.condition = AppendCondition{.items = {{.tags = {seat}}}, .after = {after}};
    return made;
  }
};

// Each round has one seat, and racers that all want it: from threads, some with the position that they read at the
// beginning of the round and some without.
TEST_F(ConditionRaceTest, OfRacersForOneSeatOneWins) {
  options().tail_events_flush = 500;
  reopen();
  constexpr int kRacers = 16;
  const int rounds = static_cast<int>(test::rounds(100, 1'000));
  for (int round = 0; round < rounds; ++round) {
    const std::string seat = "seat:" + std::to_string(round);
    const std::uint64_t known = head();
    std::atomic<int> ready = 0, won = 0, lost = 0;
    std::vector<std::thread> racers;
    for (int racer = 0; racer < kRacers; ++racer) {
      racers.emplace_back([&, racer] {
        ++ready;
        while (ready < kRacers) std::this_thread::yield();
        const auto answer =
            store().append(reserve("guest-" + std::to_string(racer), seat, racer % 2 == 0 ? known : 0));
        if (answer.ok()) ++won;
        if (!answer.ok() && answer.error().code == Errc::kConditionFailed &&
            answer.error().position > known && answer.error().event_type == "Reserved") {
          ++lost;
        }
      });
    }
    for (std::thread& racer : racers) racer.join();
    ASSERT_EQ(won, 1) << "round " << round;
    ASSERT_EQ(lost, kRacers - 1) << "round " << round;
  }
  EXPECT_EQ(head(), static_cast<std::uint64_t>(rounds));
}

}  // namespace
}  // namespace cairn::test
