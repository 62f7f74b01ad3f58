#include "tools/bench/interrupt.h"

#include <csignal>

#include <atomic>

namespace cairn::bench {
namespace {

std::atomic<bool> signal_came{false};
static_assert(std::atomic<bool>::is_always_lock_free, "it is set from a signal handler");

void note_signal(int) { signal_came.store(true, std::memory_order_relaxed); }

}  // namespace

void watch_interrupts() {
  struct sigaction action = {};
  action.sa_handler = note_signal;
  action.sa_flags = static_cast<int>(SA_RESETHAND) | SA_RESTART;
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
}

bool interrupted() { return signal_came.load(std::memory_order_relaxed); }

}  // namespace cairn::bench
