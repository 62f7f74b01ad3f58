#pragma once

#include <optional>
#include <string>

#include "api/client/client.h"
#include "tools/cli/projection/projection_arguments.h"

namespace cairn::cli {

// The result of waiting for a new generation.
struct RebuildOutcome {
  std::optional<int> failure;  // the exit code; the message has been printed
  std::string status;          // the last one, JSON
};

// Waits until the generation that is being built is live, and shows progress on stderr. `status` is the
// server's answer to the request that started it. `fingerprint` identifies the definition that must have
// built the rows; "" accepts any.
//
// Fails when the generation cannot become live without an operator: cancelled, paused, faulted, or held back.
// SIGINT ends the wait, not the rebuild; a message says so, and it counts as a failure.
RebuildOutcome wait_for_rebuild(api::Client& client, const ProjectionArguments& projection,
                                const std::string& status, const std::string& fingerprint);

// "orders: generation 5 is live: 1,234 rows"
std::string live_line(const std::string& status);

}  // namespace cairn::cli
