#include "tools/bench/compare/peer.h"

namespace cairn::bench {

Result<AppendOutcome> run_appends(Peer& peer, const AppendLoad& load, StreamSet& streams,
                                  const Payloads& payloads) {
  AppendSessions sessions;
  for (unsigned i = 0; i < load.writers; ++i) {
    CAIRN_TRY(sessions.emplace_back(), peer.connect(payloads, load.client_ids));
  }
  return drive_appends(load, streams, sessions);
}

}  // namespace cairn::bench
