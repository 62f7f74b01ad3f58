#pragma once

#include <atomic>

#include "eventstore/event_store.h"

namespace cairn::api {

// Where routes find the store. Empty while the store recovers, so that the server can already say so. Any
// thread.
class StoreSlot {
 public:
  // nullptr before set().
  EventStore* store() const { return store_.load(std::memory_order_acquire); }

  // REQUIRES: `store` lives until no route runs any more.
  void set(EventStore& store) { store_.store(&store, std::memory_order_release); }

 private:
  std::atomic<EventStore*> store_{nullptr};
};

}  // namespace cairn::api
