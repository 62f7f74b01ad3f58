#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tools/bench/append_load.h"
#include "tools/bench/compare/big_store.h"
#include "tools/bench/compare/postgres_peer.h"
#include "tools/bench/compare/report.h"
#include "tools/bench/compare/sqlite_peer.h"
#include "tools/bench/payloads.h"
#include "tools/bench/replay_set.h"

namespace cairn::bench {

// The size of the workloads. The goals are defined for the full scale.
struct Scale {
  bool full = true;
  unsigned rounds = 3;
  std::chrono::duration<double> turn{6};  // one system's turn at appending
  std::uint64_t streams = 100'000;        // of the append workloads
  std::uint64_t replay_events = 1'000'000;
  std::uint64_t big_streams = 1'000'000;  // of the big store, with ten times as many events
  std::uint64_t small_streams = 10'000;   // of the store that growth is measured from, likewise
};

Scale full_scale();
Scale quick_scale();

// The common input of the cases: the systems, the scale, and a folder on the disk under test.
struct Setting {
  Scale scale;
  ClientIds client_ids = ClientIds::kNo;
  std::filesystem::path folder;
  std::filesystem::path program;  // this program, for cases in a separate process
  Payloads payloads;
  PostgresPeer& postgres;
  SqlitePeer& sqlite;

  // Filled at the first use, which takes a minute; kept open from then on.
  Result<BigStore*> big_store();

  std::unique_ptr<BigStore> big = nullptr;
};

using Rows = std::vector<Row>;

// The second half of measure_replay(): events in their newest shape, beside a peer's plain replay.
Result<Rows> measure_shapes(Setting& setting, const ReplaySet& set,
                            const std::function<Result<double>()>& postgres_copy);

// The second half of measure_projections(): the delay until an appended event is in the rows.
Result<Row> measure_projection_lag(Setting& setting);

// The cases. Each removes its files.
Result<Rows> measure_append(
    Setting& setting);  // one event each: 64 and 256 waiting writers, 64 with 16 in flight
Result<Rows> measure_single(Setting& setting);  // one writer, one event at a time
Result<Rows> measure_batch(Setting& setting);   // 1,000 events an append
Result<Rows> measure_replay(Setting& setting);  // everything, in order, as stored and in the newest shape
Result<Rows> measure_read(Setting& setting);    // one stream of the big store
Result<Rows> measure_growth(Setting& setting);  // the append rate of the big store and of a small one
Result<Rows> measure_flush(Setting& setting);   // a single append while the index flushes
Result<Rows> measure_terms(
    Setting& setting);  // events with tags and a correlation id: appends, size of the index, building it
Result<Rows> measure_http(
    Setting& setting);  // over HTTP, from a server process: appends, and the log as lines
Result<Rows> measure_fairness(Setting& setting);     // a quiet client beside one that sends all it can
Result<Rows> measure_aggregates(Setting& setting);   // states, and snapshots
Result<Rows> measure_projections(Setting& setting);  // read models: built from the log, and followed
Result<Rows> measure_redrive(Setting& setting);      // the lag of live rows while parked events are retried
Result<Rows> measure_codec(Setting& setting);        // Avro and JSON, in memory
Result<Rows> measure_memory(
    Setting& setting);  // resident memory with the big store; closes it and opens it again

}  // namespace cairn::bench
