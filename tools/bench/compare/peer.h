#pragma once

#include <memory>
#include <string>

#include "tools/bench/append_driver.h"
#include "tools/bench/replay_set.h"

namespace cairn::bench {

// A system other than Cairn, keeping the same events in a table of its own. Functions are called from one
// thread; its sessions may be used concurrently, each by one thread.
class Peer {
 public:
  virtual ~Peer() = default;

  virtual std::string name() const = 0;

  // An empty event table in place of the last one. With client ids it also has a unique index over them.
  // REQUIRES: no session is open.
  virtual Status start_table(ClientIds client_ids) = 0;

  virtual Result<std::unique_ptr<AppendSession>> connect(const Payloads& payloads, ClientIds client_ids) = 0;

  // Writes the set into the table, which must be empty, and readies the table for reading.
  virtual Status load(const ReplaySet& set, const Payloads& payloads) = 0;

  // Reads stream, version, type and data of everything, in order, in this thread.
  virtual Result<ReplayOutcome> replay() = 0;

  // Completes the system's background work, so that it does not run during another contender's turn.
  virtual Status settle() = 0;
};

// Runs `load` against the peer's table with a session for each writer.
Result<AppendOutcome> run_appends(Peer& peer, const AppendLoad& load, StreamSet& streams,
                                  const Payloads& payloads);

}  // namespace cairn::bench
