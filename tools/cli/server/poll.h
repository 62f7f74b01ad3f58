#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>

#include "api/client/client.h"

namespace cairn::cli {

// How a server is polled.
struct PollOptions {
  std::string path;
  std::chrono::milliseconds interval{250};
  // How long the server may stay unreachable, for example during a restart; nullopt = for ever.
  std::optional<std::chrono::milliseconds> patience = std::chrono::seconds{60};
  bool json = false;  // how a refusal is printed
};

enum class PollNext { kGoOn, kEnd };

struct PollResult {
  bool interrupted = false;
  std::optional<int> failure = {};  // the exit code; the message has been printed
};

// Passes every answer to `take`, until `take` ends the polling, the server refuses, it stays unreachable for
// too long, or SIGINT or SIGTERM arrives. When the first request fails, polling fails. Later the server may
// be restarting, so requests are retried, and `lost` is called once per outage. A 503 counts as an outage.
PollResult poll(api::Client& client, const PollOptions& options,
                const std::function<PollNext(const std::string& body)>& take,
                const std::function<void(const std::string& reason)>& lost);

}  // namespace cairn::cli
