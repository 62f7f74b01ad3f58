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
      std::uint32_t state = bed.state.load();
      if ((state & kUsed) == 0) continue;  // whoever comes now sees that it was answered
      while (!bed.state.compare_exchange_weak(state, (state & ~kUsed) + kRound)) {
      }
      futex_wake(bed.state, 1);
    }
  }

  // Sleeps until `done`, which answered() must follow.
  void wait_until(const std::atomic<bool>& done) {
    Bed& bed = beds_[bed_here()];
    for (;;) {
      const std::uint32_t state = bed.state.fetch_or(kUsed) | kUsed;
      if (done.load()) return;
      futex_wait(bed.state, state);
      // The first to see an answer wakes the others, even if it is not meant itself.
      const std::uint32_t round = bed.state.load() & ~kUsed;
      if (round != (state & ~kUsed) && bed.cried.exchange(round) != round) futex_wake(bed.state, INT_MAX);
    }
  }

 private:
  static constexpr unsigned kBeds = 8;
  static unsigned bed_here() { return static_cast<unsigned>(sched_getcpu()) % kBeds; }

  // A bed's state is its round, which an answer raises, and whether somebody lay down since the last one.
  // Both change in one step: otherwise an answer for others could take the mark away from somebody who lies
  // down.
  static constexpr std::uint32_t kUsed = 1;
  static constexpr std::uint32_t kRound = 2;
  struct Bed {
    std::atomic<std::uint32_t> state = 0;
    std::atomic<std::uint32_t> cried = 0;  // the last round for which a sleeper woke the others
  };
  std::array<Bed, kBeds> beds_;
};

}  // namespace cairn
