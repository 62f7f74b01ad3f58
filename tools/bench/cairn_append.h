#pragma once

#include <memory>

#include "eventstore/event_store.h"
#include "tools/bench/append_driver.h"

namespace cairn::bench {

AppendRequest make_request(const AppendCall& call, const Payloads& payloads, ClientIds client_ids);

// Runs `load` against `store`: synchronous writers, or, with load.in_flight > 1, writers that keep so many
// appends in flight with append_async(). `streams` has the versions before and after. Fails with the first
// error of the store.
Result<AppendOutcome> run_appends(EventStore& store, const AppendLoad& load, StreamSet& streams,
                                  const Payloads& payloads);

// The store's work between two samples of its statistics.
struct StoreWork {
  std::uint64_t commits = 0;
  std::uint64_t events = 0;
  std::uint64_t flushes = 0;
  double commit_us = 0;  // mean
  double events_per_commit() const {
    return commits == 0 ? 0 : static_cast<double>(events) / static_cast<double>(commits);
  }
};
StoreWork work_between(const StoreStats& before, const StoreStats& after);

}  // namespace cairn::bench
