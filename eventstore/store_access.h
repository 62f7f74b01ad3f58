#pragma once

#include <utility>

#include "eventstore/base/result.h"
#include "eventstore/event_store.h"
#include "eventstore/log_reader.h"

namespace cairn {

// A store for a component that reads in every process and appends only in the one that has the store open:
// the schema registry, the definitions, the audit log. A component that never appends takes a LogReader&.
// Copied by value. REQUIRES: the store or reader outlives it.
class StoreAccess {
 public:
  StoreAccess(EventStore& store) : log_(&store), store_(&store) {}
  StoreAccess(LogReader& log) : log_(&log) {}

  LogReader& log() const { return *log_; }

  // EventStore::append(); kFailedPrecondition in a process that only reads the store.
  Result<AppendResult> append(AppendRequest request) const {
    if (store_ != nullptr) return store_->append(std::move(request));
    return make_error(Errc::kFailedPrecondition, "this process only reads store " + log_->store_id() +
                                                     "; send the request to the server that has it open");
  }

 private:
  LogReader* log_;
  EventStore* store_ = nullptr;  // null in a process that only reads
};

}  // namespace cairn
