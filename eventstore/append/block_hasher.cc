#include "eventstore/append/block_hasher.h"

#include <climits>

#include "eventstore/base/assert.h"
#include "eventstore/base/futex.h"

namespace cairn {
namespace {

// Waking a thread takes about as long as hashing this much.
constexpr std::size_t kWorthAThreadBytes = 64u << 10;

}  // namespace

void BlockHasher::start(std::span<const std::byte> block) {
  CAIRN_ASSERT(state_.load() == kIdle, state_.load());
  block_ = block;
  state_.store(kOffered);
  if (block.size() < kWorthAThreadBytes) return;
  if (!thread_.runs()) {
    const auto wake = [this] {
      state_.store(kStopping);
      futex_wake(state_, 1);
    };
    thread_.start({.name = "cairn-hash", .niceness = 0, .wake = wake}, [this](const auto&) { run(); });
  }
  futex_wake(state_, 1);
}

Sha256 BlockHasher::finish() {
  std::uint32_t state = kOffered;
  if (state_.compare_exchange_strong(state, kIdle)) return sha256(block_);
  if (state == kTaken) state_.compare_exchange_strong(state, kAwaited);
  while ((state = state_.load()) != kDone) futex_wait(state_, state);
  state_.store(kIdle);
  return hash_;
}

bool BlockHasher::help() {
  std::uint32_t state = kOffered;
  if (state_.load() != kOffered || !state_.compare_exchange_strong(state, kTaken)) return false;
  hash_ = sha256(block_);
  state = kTaken;
  if (state_.compare_exchange_strong(state, kDone)) return true;
  if (state == kAwaited && state_.compare_exchange_strong(state, kDone)) futex_wake(state_, INT_MAX);
  return true;
}

void BlockHasher::run() {
  for (;;) {
    if (help()) continue;
    const std::uint32_t state = state_.load();
    if (state == kStopping) return;
    if (state != kOffered) futex_wait(state_, state);
  }
}

}  // namespace cairn
