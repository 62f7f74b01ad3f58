#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>

#include "eventstore/base/clock.h"
#include "eventstore/base/result.h"
#include "upcasters/lua/lua_host.h"

namespace cairn {

// How projections are run. The defaults suit a server; tests make them small.
struct DaemonOptions {
  unsigned threads = 0;  // of the pool; 0 = as many as there are processors

  // Into how many parts the keys of a projection are split, so that a large batch keeps several processors
  // busy. Rows do not depend on it. 0 = as many as there are threads.
  unsigned partitions = 0;

  // A batch of the log, which is held in memory while projections work through it.
  std::size_t batch_positions_max = 16'384;
  std::size_t batch_bytes_max = 8u << 20;

  // While a generation is being built, many batches share one commit: until so much time has passed, which is
  // what a crash may cost, so many events were applied, or the rows in memory take so much.
  std::chrono::milliseconds commit_every{5'000};
  std::size_t commit_events_max = 4'000'000;  // 16 bytes are kept for each
  std::size_t cache_bytes_max = 64u << 20;    // of each projection

  std::uint64_t parked_keys_max = 1'000;  // then the projection pauses
  unsigned generations_kept = 1;          // behind the live one, for rollback

  // What may succeed the next time is tried again after a random part of a time that doubles.
  std::chrono::milliseconds retry_first{100};
  std::chrono::milliseconds retry_max{30'000};

  std::chrono::milliseconds stalled_after{30'000};

  // Only where the store is read beside the process that has it. Schemas, upcasters and definitions arrive
  // through the log there, like events: this takes notice of those that are in the log by now.
  std::function<Status()> catch_up_shapes;

  // A place in the log that no row changes with is kept in memory, and committed now and then. Those who read
  // in another process see only what is committed: with this it is committed when the head was reached, and
  // so often at most.
  std::optional<std::chrono::milliseconds> publish_position_every;

  Clock clock = system_time;
  std::function<void(std::string_view message)> on_notice;  // what an operator should look at
  std::function<void(std::string_view message)> on_event;   // what went as it should: a generation took over
  LuaHost::Log log;                                         // what scripts say

  // For tests that end the process at every step: told where a worker is ("commit.before", "swap.recorded",
  // …).
  std::function<void(std::string_view point)> at_point;
};

}  // namespace cairn
