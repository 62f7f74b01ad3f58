#pragma once

#include <cstdint>
#include <optional>

#include "api/client/client.h"
#include "tools/cli/projection/projection_arguments.h"

namespace cairn::cli {

// How all that is parked in a projection is retried.
struct RedriveArguments {
  std::optional<std::uint64_t> keys_per_second;
  std::optional<std::uint64_t> stop_after;  // keys that fail again
  bool dry_run = false;
  bool no_wait = false;

  bool any() const { return keys_per_second || stop_after || dry_run || no_wait; }
};

// Starts the retry, shows its progress on stderr and prints its result; SIGINT cancels it. Returns the exit code:
// kExitNo when keys stay parked.
int run_redrive(api::Client& client, const ProjectionArguments& projection, const RedriveArguments& redrive);

// Prints {"keys","released","events"}, the answer to a retry that the server has finished.
int report_retried(const ProjectionArguments& projection, const std::string& body);

}  // namespace cairn::cli
