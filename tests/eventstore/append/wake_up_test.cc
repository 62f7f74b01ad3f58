#include "eventstore/append/wake_up.h"

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <barrier>
#include <thread>
#include <vector>

namespace cairn::test {
namespace {

// Everybody waits at the same place and is answered in two halves, as when a round makes two blocks; and the
// place is used again at once, while the last of the round before may still be on their way out.
TEST(WakeUpTest, WakesEverybodyWhoIsAnswered) {
  constexpr std::size_t kSleepers = 24;
  constexpr int kRounds = 2'000;
  WakeUp wake_up;
  std::array<std::atomic<bool>, kSleepers> done{};
  std::atomic<std::size_t> came = 0;  // in all rounds
  std::barrier round_over(kSleepers + 1);
  std::vector<std::jthread> sleepers;
  for (std::size_t i = 0; i < kSleepers; ++i) {
    sleepers.emplace_back([&, i] {
      for (int round = 0; round < kRounds; ++round) {
        ++came;
        wake_up.wait_until(done[i]);
        done[i] = false;
        round_over.arrive_and_wait();
      }
    });
  }
  for (int round = 0; round < kRounds; ++round) {
    // In some rounds most sleep by now, in others hardly anybody.
    const auto past = static_cast<std::size_t>(round);
    while (came.load() < kSleepers * past + kSleepers / 4 * (past % 5)) std::this_thread::yield();
    for (std::size_t i = 0; i < kSleepers; i += 2) done[i] = true;
    wake_up.answered();
    for (std::size_t i = 1; i < kSleepers; i += 2) done[i] = true;
    wake_up.answered();
    round_over.arrive_and_wait();
  }
}

// Answers for others go by while somebody is about to lie down; its own answer must wake it all the same.
TEST(WakeUpTest, AnswersForOthersDoNotHideOnesOwn) {
  constexpr int kRounds = 200'000;
  WakeUp wake_up;
  std::atomic<bool> done = false;
  std::atomic<int> woken = 0;
  std::jthread sleeper([&] {
    for (int round = 0; round < kRounds; ++round) {
      wake_up.wait_until(done);
      done = false;
      ++woken;
    }
  });
  for (int round = 0; round < kRounds; ++round) {
    for (int others = round % 7; others > 0; --others) wake_up.answered();
    done = true;
    wake_up.answered();
    while (woken.load() <= round) std::this_thread::yield();
  }
}

}  // namespace
}  // namespace cairn::test
