#pragma once

#include <cstdint>
#include <string>

#include "eventstore/base/mutex.h"
#include "eventstore/base/result.h"
#include "eventstore/event_store.h"

namespace cairn {

// A number that is larger than every one that the store gave out before: of two holders of a lease, or of a
// delivery, the later one has the larger token. Below 2^53, so that JSON readers with doubles keep it.
struct FencingToken {
  std::uint64_t value = 0;
  friend auto operator<=>(FencingToken, FencingToken) = default;
};

// Gives out the fencing tokens of a store: one rising sequence for everything that needs one. Tokens are
// reserved in chunks by an event in the stream "$tokens", which is durable before the first token of a chunk
// is given out. A chunk begins behind the last one of the log, or at the wall clock in microseconds if that
// is further; so tokens rise over restarts, crashes and the restore of an older copy.
//
// The order holds within one history (EventStore::history_id()), and over a restore as long as the clock does
// not go back behind what the lost part of the log had reserved: an answer that has a token has the history
// too. Thread-safe. One for each open store.
class FencingTokens {
 public:
  static constexpr std::uint64_t kChunk = 1u << 20;
  static constexpr std::uint64_t kLimit = std::uint64_t{1} << 53;  // no token reaches it

  // REQUIRES: `store` outlives it.
  explicit FencingTokens(EventStore& store, Clock clock = system_time, std::uint64_t chunk = kChunk)
      : store_(store), clock_(std::move(clock)), chunk_(chunk) {}

  // The next token. May append, and wait for that: not to be called by callbacks of the store. Fails as an
  // append does, and with kFailedPrecondition when no tokens are left.
  Result<FencingToken> next() CAIRN_EXCLUDES(mutex_);

 private:
  Status reserve() CAIRN_REQUIRES(mutex_);

  EventStore& store_;
  const Clock clock_;
  const std::uint64_t chunk_;
  Mutex mutex_;
  std::uint64_t next_ CAIRN_GUARDED_BY(mutex_) = 0;
  std::uint64_t end_ CAIRN_GUARDED_BY(mutex_) = 0;  // one behind the last that is reserved
};

}  // namespace cairn
