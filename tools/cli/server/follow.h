#pragma once

#include "api/client/client.h"
#include "tools/cli/server/read_query.h"
#include "tools/cli/text/event_printer.h"

namespace cairn::cli {

// Prints events as they are appended, until SIGINT or SIGTERM, or until `query.limit` events were printed.
// When the connection is lost or the server is busy, it prints that on stderr and reconnects after the last
// event, without a bound and with backoff; only a server that is unreachable at the first request, and a
// refusal, end it. Returns the exit code. REQUIRES: the process has no other thread yet; `query` is not
// backward.
int follow(api::Client& client, const ReadQuery& query, EventPrinter& printer);

}  // namespace cairn::cli
