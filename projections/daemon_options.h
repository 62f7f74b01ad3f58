#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>

#include "eventstore/base/clock.h"
#include "eventstore/base/log_event.h"
#include "eventstore/base/result.h"
#include "upcasters/lua/lua_host.h"

namespace cairn {

// How projections are run. The defaults suit a server; tests make them small.
struct DaemonOptions {
  unsigned threads = 0;  // of the pool; 0 = as many as there are processors

  // The keys of a projection are hashed into this many partitions, which are processed in parallel. Rows do
  // not depend on it. 0 = as many as there are threads.
  unsigned partitions = 0;

  // Bounds of a batch of events, which is held in memory while projections process it.
  std::size_t batch_positions_max = 16'384;
  std::size_t batch_bytes_max = 8u << 20;

  // While a generation is being built, many batches share one commit. A commit is due after this time (which
  // bounds the work lost in a crash), after this many events, or when the rows in memory take this much.
  std::chrono::milliseconds commit_every{5'000};
  std::size_t commit_events_max = 4'000'000;  // 16 bytes of memory each
  std::size_t cache_bytes_max = 64u << 20;    // per projection

  std::uint64_t parked_keys_max = 1'000;  // at so many a generation stops, and the projection pauses

  // That may be deployed. Each one has a Lua state for each processor and up to 64 MiB of rows in memory.
  std::size_t projections_max = 256;

  unsigned generations_kept = 1;  // older than the live one, for rollback

  // Exponential backoff with jitter for transient failures: a random part of a delay that doubles.
  std::chrono::milliseconds retry_first{100};
  std::chrono::milliseconds retry_max{30'000};

  std::chrono::milliseconds stalled_after{30'000};

  // Set only in a process that follows the store of another one. Schemas, upcasters and definitions arrive
  // there through the log, like events: this function applies those that are in the log by now.
  std::function<Status()> catch_up_shapes;

  // A checkpoint without changed rows is kept in memory and committed from time to time. Readers in another
  // process see only commits: with this option the checkpoint is also committed when the head is reached, at
  // most once in this interval.
  std::optional<std::chrono::milliseconds> publish_position_every;

  // Called after a commit of live rows that changed some: how long before the first event of the commit was
  // recorded. On a thread of the pool; must not block.
  std::function<void(std::chrono::microseconds age)> on_rows_committed;

  Clock clock = system_time;
  LogSink on_log;    // lines for the operator's log
  LuaHost::Log log;  // the log output of scripts

  // For tests that kill the process at every step: called with the name of the step that a worker has reached
  // ("commit.before", "swap.recorded", …).
  std::function<void(std::string_view point)> at_point;
};

}  // namespace cairn
