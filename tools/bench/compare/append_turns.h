#pragma once

#include <memory>
#include <string>

#include "tools/bench/bench_store.h"
#include "tools/bench/cairn_append.h"
#include "tools/bench/compare/peer.h"
#include "tools/bench/compare/rounds.h"

namespace cairn::bench {

// Cairn's statistics of its last turn, for the notes.
struct CairnTurn {
  AppendOutcome outcome;
  StoreWork work;

  std::string note() const;
};

// A contender that appends to a new store in `folder`, the same one each turn. After a turn, unmeasured, it
// flushes the index. `last` receives the statistics of the latest turn, and must outlive the contender.
Result<Contender> cairn_appends(const std::string& label, const std::filesystem::path& folder,
                                const AppendLoad& load, std::size_t streams, const Payloads& payloads,
                                CairnTurn& last);

// The same for a peer, in a table started now. Starting another table of that peer ends this contender's
// turns.
Result<Contender> peer_appends(const std::string& label, Peer& peer, const AppendLoad& load,
                               std::size_t streams, const Payloads& payloads);

}  // namespace cairn::bench
