#pragma once

#include <sched.h>

#include <array>
#include <atomic>
#include <climits>
#include <cstdint>

#include "eventstore/base/futex.h"
#include "eventstore/base/prefetch.h"

namespace cairn {

// Wakes the callers of append() whose requests were taken from the queue together. Waiters are spread over
// buckets by the CPU they run on. notify() wakes one waiter of each bucket, and that waiter wakes the rest
// of its bucket with one system call: the writer thread continues with the next block meanwhile, and most
// waiters are woken by the CPU that they ran on. See docs/decisions.md, "Waiters are woken on their own
// processor". Thread-safe; notify() from one thread at a time.
class alignas(kCacheLineBytes) AnswerSignal {
 public:
  // Wakes the waiters, after the answers of some of them were stored. The bucket of the calling CPU comes
  // last, because a waiter that is woken there may preempt the writer thread at once.
  void notify() {
    const unsigned here = bucket_of_this_cpu();
    for (unsigned i = 1; i <= kBuckets; ++i) {
      WaitBucket& bucket = buckets_[(here + i) % kBuckets];
      std::uint32_t state = bucket.state.load();
      if ((state & kHasWaiter) == 0) continue;  // a waiter that arrives now sees its answer without blocking
      while (!bucket.state.compare_exchange_weak(state, (state & ~kHasWaiter) + kOneNotify)) {
      }
      futex_wake(bucket.state, 1);
    }
  }

  // Blocks until `done`. REQUIRES: notify() is called after `done` was set.
  void wait_until(const std::atomic<bool>& done) {
    WaitBucket& bucket = buckets_[bucket_of_this_cpu()];
    for (;;) {
      const std::uint32_t state = bucket.state.fetch_or(kHasWaiter) | kHasWaiter;
      if (done.load()) return;
      futex_wait(bucket.state, state);
      // The first waiter to see a new notify() wakes the rest of the bucket, even if its own answer is not
      // there yet.
      const std::uint32_t notified = bucket.state.load() & ~kHasWaiter;
      if (notified != (state & ~kHasWaiter) && bucket.last_broadcast.exchange(notified) != notified)
        futex_wake(bucket.state, INT_MAX);
    }
  }

 private:
  static constexpr unsigned kBuckets = 8;
  static unsigned bucket_of_this_cpu() { return static_cast<unsigned>(sched_getcpu()) % kBuckets; }

  // The state of a bucket: bit 0 says that a waiter came since the last notify(); the other bits count the
  // notify() calls that found one. Both change in one atomic step. With two words a notify() for other
  // waiters could clear the flag of a waiter that is about to block, and its own notify() would pass the
  // bucket over: a lost wake-up.
  static constexpr std::uint32_t kHasWaiter = 1;
  static constexpr std::uint32_t kOneNotify = 2;
  struct WaitBucket {
    std::atomic<std::uint32_t> state = 0;
    std::atomic<std::uint32_t> last_broadcast = 0;  // the count for which a waiter last woke the others
  };
  std::array<WaitBucket, kBuckets> buckets_;
};

}  // namespace cairn
