#pragma once

#include <memory>

#include "tools/bench/append_driver.h"
#include "tools/bench/append_load.h"
#include "tools/bench/compare/postgres_peer.h"

namespace cairn::bench {

// A connection that appends to the table `events` of PostgresPeer: one event by a prepared INSERT, more by
// `way`.
Result<std::unique_ptr<AppendSession>> open_postgres_session(const std::string& connection_string,
                                                             const Payloads& payloads, ClientIds client_ids,
                                                             BatchMethod way);

}  // namespace cairn::bench
