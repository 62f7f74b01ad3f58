#include "eventstore/append/block_hasher.h"

#include "eventstore/base/futex.h"

namespace cairn {
namespace {

// Waking a thread takes about as long as hashing this much.
constexpr std::size_t kWorthAThreadBytes = 64u << 10;

}  // namespace

BlockHasher::~BlockHasher() {
  if (!thread_.joinable()) return;
  state_.store(kStopping);
  futex_wake(state_, 1);
  thread_.join();
}

void BlockHasher::start(std::span<const std::byte> block) {
  block_ = block;
  if (block.size() < kWorthAThreadBytes) return;
  if (!thread_.joinable()) thread_ = std::thread([this] { run(); });
  state_.store(kOffered);
  futex_wake(state_, 1);
}

Sha256 BlockHasher::finish() {
  std::uint32_t state = kOffered;
  if (state_.compare_exchange_strong(state, kIdle) || state == kIdle) return sha256(block_);
  for (; state != kDone; state = state_.load()) futex_wait(state_, state);
  state_.store(kIdle);
  return hash_;
}

void BlockHasher::run() {
  for (;;) {
    std::uint32_t state = kOffered;
    if (state_.compare_exchange_strong(state, kTaken)) {
      hash_ = sha256(block_);
      state = kTaken;
      if (state_.compare_exchange_strong(state, kDone)) futex_wake(state_, 1);
      continue;
    }
    if (state == kStopping) return;
    futex_wait(state_, state);
  }
}

}  // namespace cairn
