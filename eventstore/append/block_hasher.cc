#include "eventstore/append/block_hasher.h"

#include <climits>

#include "eventstore/base/futex.h"
#include "eventstore/base/thread_priority.h"

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
  state_.store(kOffered);
  if (block.size() < kWorthAThreadBytes) return;
  if (!thread_.joinable()) thread_ = std::thread([this] { run(); });
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
  set_thread_niceness(0);  // the writer, which started it, may have another one
  for (;;) {
    if (help()) continue;
    const std::uint32_t state = state_.load();
    if (state == kStopping) return;
    if (state != kOffered) futex_wait(state_, state);
  }
}

}  // namespace cairn
