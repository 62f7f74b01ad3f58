#pragma once

#include <sched.h>

#include <array>
#include <atomic>
#include <climits>
#include <cstdint>

#include "eventstore/base/futex.h"

namespace cairn {

// Where everybody sleeps whose request was taken from the queue together. The writer wakes one for each
// processor, and whoever wakes passes it on to two more: the writer goes on with the next block meanwhile,
// and most of those who wake were put to sleep by the processor that wakes them.
class alignas(64) WakeUp {
 public:
  // The writer has answered some of those who wait here.
  void answered() {
    for (Bed& bed : beds_) {
      ++bed.round;
      if (bed.used.load() && bed.used.exchange(false)) futex_wake(bed.round, 1);
    }
  }

  // Sleeps until `done`, which answered() must follow.
  void wait_until(const std::atomic<bool>& done) {
    Bed& bed = beds_[static_cast<unsigned>(sched_getcpu()) % kBeds];
    for (;;) {
      bed.used.store(true);  // first: answered() looks at it last
      const std::uint32_t round = bed.round.load();
      if (done.load()) return;
      futex_wait(bed.round, round);
      // The first to see an answer wakes the others, even if it is not meant itself.
      const std::uint32_t now = bed.round.load();
      if (now != round && bed.cried.exchange(now) != now) futex_wake(bed.round, INT_MAX);
    }
  }

 private:
  static constexpr unsigned kBeds = 8;
  struct Bed {
    std::atomic<std::uint32_t> round = 0;
    std::atomic<std::uint32_t> cried = 0;  // the last round that somebody was woken for by another sleeper
    std::atomic<bool> used = false;
  };
  std::array<Bed, kBeds> beds_;
};

}  // namespace cairn
