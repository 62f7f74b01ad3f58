#pragma once

#include <atomic>
#include <cstdint>
#include <functional>

#include "eventstore/base/mutex.h"
#include "eventstore/json/request_origin.h"
#include "eventstore/store_access.h"

namespace cairn {

// Reads the stream $definitions forward for a class that folds its events. Thread-safe.
class DefinitionFollower {
 public:
  // REQUIRES: `log` outlives it.
  explicit DefinitionFollower(LogReader& log) : log_(log) {}

  // Calls `take` for each event appended since the last call, in order and from one thread at a time. Stops
  // when `take` fails; the next call begins with the same event. Costs two atomic loads when the log has not
  // grown. Fails as the store's reads do.
  Status catch_up(const std::function<Status(const EventView& stored)>& take);

  // The version of $definitions that was taken last. A caller that decides and then appends at this version
  // reads it before the folded state: the state may be newer than the version, never older, so an append at
  // this version conflicts with every event that the decision did not see.
  std::uint64_t version() const { return version_.load(std::memory_order_acquire); }

 private:
  LogReader& log_;
  Mutex mutex_;                              // serialises catch_up()
  std::atomic<std::uint64_t> seen_head_{0};  // the log up to this position has been searched for events
  std::atomic<std::uint64_t> version_{0};
};

// Appends a definition, if $definitions still has that version, with `origin` as its metadata.
// kVersionConflict when it has not.
Status append_definition(const StoreAccess& store, std::uint64_t version, NewEvent event,
                         const RequestOrigin& origin);

// How often a caller decides and appends again after a conflict. An attempt fails only when another append
// succeeds, so this bound is not reached in practice.
inline constexpr int kDefinitionAttemptsMax = 100;
Error definitions_always_change();

}  // namespace cairn
