#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>

#include "eventstore/base/background_thread.h"
#include "eventstore/base/checksum.h"

namespace cairn {

// Computes the hash of a block while the block is being committed, so that the writer thread need not do it
// after the commit. A waiter hashes the block being committed: a caller of append() that is about to block
// calls help(). For a large block a thread of its own does ("cairn-hash"), which starts with the first large
// one. A block that neither has begun when the commit ends is hashed by the writer thread. See
// docs/decisions.md, "A waiter hashes the block being committed".
class BlockHasher {
 public:
  BlockHasher() = default;
  BlockHasher(const BlockHasher&) = delete;
  BlockHasher& operator=(const BlockHasher&) = delete;

  // Offers `block` for hashing, which must not change until finish(). REQUIRES: start() and finish()
  // alternate, called by one thread.
  void start(std::span<const std::byte> block);
  // Returns the hash: computed, waited for, or computed by this call.
  Sha256 finish();

  // Hashes the block if one is offered and no thread has begun; false when there was nothing to do. Any
  // thread.
  bool help();

 private:
  // kIdle -> kOffered (start) -> kTaken (help) -> kDone -> kIdle (finish). kAwaited: taken, and finish()
  // sleeps until it is done.
  enum State : std::uint32_t { kIdle, kOffered, kTaken, kAwaited, kDone, kStopping };
  void run();

  std::atomic<std::uint32_t> state_ = kIdle;
  std::span<const std::byte> block_;  // written before state_ becomes kOffered
  Sha256 hash_{};                     // written before state_ becomes kDone
  BackgroundThread thread_;           // last: it uses the others
};

}  // namespace cairn
