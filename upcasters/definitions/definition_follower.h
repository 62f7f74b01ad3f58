#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <mutex>

#include "eventstore/event_store.h"

namespace cairn {

// Follows $definitions for whoever folds its events. Any thread.
class DefinitionFollower {
 public:
  // REQUIRES: `store` outlives it.
  explicit DefinitionFollower(EventStore& store) : store_(store) {}

  // Gives `take` each event that was appended since, in order and never two at once. Ends where it fails; the
  // next call begins there again. Fails as the store's reads do.
  Status catch_up(const std::function<Status(const EventView& stored)>& take);

  // The version of $definitions that was taken last. Who appends behind it asks for it first and then for
  // what was folded, which may then be newer but not older: so the append conflicts with all it does not
  // know.
  std::uint64_t version() const { return version_.load(std::memory_order_acquire); }

 private:
  EventStore& store_;
  std::mutex mutex_;
  std::atomic<std::uint64_t> version_{0};
};

// Appends a definition, if $definitions still has that version. kVersionConflict when it has not.
Status append_definition(EventStore& store, std::uint64_t version, NewEvent event);

// How often one tries that. Each turn is another's success, so nobody comes near this.
inline constexpr int kDefinitionAttemptsMax = 100;
Error definitions_always_change();

}  // namespace cairn
