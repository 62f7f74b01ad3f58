#pragma once

#include <sched.h>

#include <array>
#include <atomic>
#include <climits>
#include <cstdint>

#include "eventstore/base/futex.h"
#include "eventstore/base/prefetch.h"

namespace cairn {

// Where everybody sleeps whose request was taken from the queue together. The writer wakes one of those who
// went to sleep on each processor, and that one wakes the others: the writer goes on with the next block
// meanwhile, and processors hardly touch what belongs to another.
class alignas(kCacheLineBytes) WakeUp {
 public:
  // The writer has answered some of those who wait here. Those of its own processor come last, because they
  // may take it from the writer at once.
  void answered() {
    const unsigned here = bed_here();
    for (unsigned i = 1; i <= kBeds; ++i) {
      Bed& bed = beds_[(here + i) % kBeds];
      ++bed.round;
      if (bed.used.load() && bed.used.exchange(false)) futex_wake(bed.round, 1);
    }
  }

  // Sleeps until `done`, which answered() must follow.
  void wait_until(const std::atomic<bool>& done) {
    Bed& bed = beds_[bed_here()];
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
  static unsigned bed_here() { return static_cast<unsigned>(sched_getcpu()) % kBeds; }

  struct Bed {
    std::atomic<std::uint32_t> round = 0;
    std::atomic<std::uint32_t> cried = 0;  // the last round that somebody was woken for by another sleeper
    std::atomic<bool> used = false;
  };
  std::array<Bed, kBeds> beds_;
};

}  // namespace cairn
