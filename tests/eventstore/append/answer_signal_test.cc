#include "eventstore/append/answer_signal.h"

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <barrier>
#include <thread>
#include <vector>

namespace cairn::test {
namespace {

// All waiters share a signal and are answered in two halves, as when a batch makes two blocks. The signal is
// used again at once, while the last waiters of the round before may still be leaving it.
TEST(AnswerSignalTest, WakesEveryAnsweredWaiter) {
  constexpr std::size_t kWaiters = 24;
  constexpr int kRounds = 2'000;
  AnswerSignal signal;
  std::array<std::atomic<bool>, kWaiters> done{};
  std::atomic<std::size_t> came = 0;  // in all rounds
  std::barrier round_over(kWaiters + 1);
  std::vector<std::jthread> waiters;
  for (std::size_t i = 0; i < kWaiters; ++i) {
    waiters.emplace_back([&, i] {
      for (int round = 0; round < kRounds; ++round) {
        ++came;
        signal.wait_until(done[i]);
        done[i] = false;
        round_over.arrive_and_wait();
      }
    });
  }
  for (int round = 0; round < kRounds; ++round) {
    // In some rounds most waiters are blocked by now, in others hardly any.
    const auto past = static_cast<std::size_t>(round);
    while (came.load() < kWaiters * past + kWaiters / 4 * (past % 5)) std::this_thread::yield();
    for (std::size_t i = 0; i < kWaiters; i += 2) done[i] = true;
    signal.notify();
    for (std::size_t i = 1; i < kWaiters; i += 2) done[i] = true;
    signal.notify();
    round_over.arrive_and_wait();
  }
}

// A notify() for other waiters comes while one is about to block; its own notify() must still wake it.
TEST(AnswerSignalTest, NoWakeUpIsLostToANotifyForOthers) {
  constexpr int kRounds = 200'000;
  AnswerSignal signal;
  std::atomic<bool> done = false;
  std::atomic<int> woken = 0;
  std::jthread waiter([&] {
    for (int round = 0; round < kRounds; ++round) {
      signal.wait_until(done);
      done = false;
      ++woken;
    }
  });
  for (int round = 0; round < kRounds; ++round) {
    for (int others = round % 7; others > 0; --others) signal.notify();
    done = true;
    signal.notify();
    while (woken.load() <= round) std::this_thread::yield();
  }
}

}  // namespace
}  // namespace cairn::test
