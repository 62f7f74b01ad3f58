#pragma once

#include <memory>

#include "eventstore/event_store.h"
#include "tools/bench/append_driver.h"

namespace cairn::bench {

AppendRequest make_request(const AppendCall& call, const Payloads& payloads, ClientIds client_ids);

// Runs `load` against `store`: writers that wait for each answer, or, with load.in_flight > 1, writers that
// keep so many appends under way with append_async(). `streams` says, and afterwards knows, how far each
// stream is. Fails with the first error the store answered.
Result<AppendOutcome> run_appends(EventStore& store, const AppendLoad& load, StreamSet& streams,
                                  const Payloads& payloads);

// What the store did between two moments.
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
