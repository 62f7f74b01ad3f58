#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <thread>

#include "eventstore/base/checksum.h"

namespace cairn {

// Computes the hash of a block that is being committed. For a large one that takes a quarter as long as the
// commit, so it is done meanwhile by a thread of its own, unless that does not get to it in time. The thread
// starts with the first large block.
class BlockHasher {
 public:
  BlockHasher() = default;
  ~BlockHasher();
  BlockHasher(const BlockHasher&) = delete;
  BlockHasher& operator=(const BlockHasher&) = delete;

  // Begins with the hash of `block`, which must stay as it is until finish(). Calls come in pairs, from one
  // thread.
  void start(std::span<const std::byte> block);
  Sha256 finish();

 private:
  enum State : std::uint32_t { kIdle, kOffered, kTaken, kDone, kStopping };
  void run();

  std::atomic<std::uint32_t> state_ = kIdle;
  std::span<const std::byte> block_;
  Sha256 hash_{};
  std::thread thread_;
};

}  // namespace cairn
