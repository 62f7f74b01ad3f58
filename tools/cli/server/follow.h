#pragma once

#include "api/client/client.h"
#include "tools/cli/server/read_query.h"
#include "tools/cli/text/event_printer.h"

namespace cairn::cli {

// Prints events as they are appended, until Ctrl-C or SIGTERM, or until `query.limit` of them were printed.
// When the connection is lost or the server is busy it says so on stderr and goes on behind the last event,
// as often as needed; only a server that is not there at the beginning, and a refusal, end it. Returns the
// exit code. REQUIRES: the process has no other thread yet; `query` is not backward.
int follow(api::Client& client, const ReadQuery& query, EventPrinter& printer);

}  // namespace cairn::cli
