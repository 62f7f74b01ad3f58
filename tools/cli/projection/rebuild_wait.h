#pragma once

#include <optional>
#include <string>

#include "api/client/client.h"
#include "tools/cli/projection/projection_arguments.h"

namespace cairn::cli {

// What waiting for a new generation came to.
struct RebuildWaited {
  std::optional<int> failure;  // the exit code; what it is has been said
  std::string status;          // the last one, JSON
};

// Waits until the generation that is being built answers queries, and shows on stderr how far it is.
// `status` is what the server said when it was begun. `fingerprint` is that of the definition which the rows
// shall be made by; "" for whichever there is.
//
// Fails when the generation cannot take over by itself: cancelled, paused, faulted, or held back. Ctrl-C ends
// the waiting and not the work, which is said, and is a failure too.
RebuildWaited wait_for_rebuild(api::Client& client, const ProjectionArguments& projection,
                               const std::string& status, const std::string& fingerprint);

// "orders: generation 5 is live: 1,234 rows"
std::string live_line(const std::string& status);

}  // namespace cairn::cli
