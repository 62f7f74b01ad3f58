#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <thread>

#include "eventstore/base/checksum.h"

namespace cairn {

// Computes the hash of a block that is being committed, so that the writer need not do it after the commit:
// whoever comes to wait for an append meanwhile does it, or, for a large block, a thread of its own that
// starts with the first large one. If nobody gets to it in time the writer does it after all.
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

  // For any thread that would only wait: does the work if there is some that nobody has taken. False when
  // there was nothing to do.
  bool help();

 private:
  enum State : std::uint32_t { kIdle, kOffered, kTaken, kAwaited, kDone, kStopping };
  void run();

  std::atomic<std::uint32_t> state_ = kIdle;
  std::span<const std::byte> block_;
  Sha256 hash_{};
  std::thread thread_;
};

}  // namespace cairn
