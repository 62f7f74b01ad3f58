#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>

#include "api/client/client.h"

namespace cairn::cli {

// How a server is asked the same thing again and again.
struct PollOptions {
  std::string path;
  std::chrono::milliseconds interval{250};
  // Without any answer; nullopt = for ever. Enough for a server that is being restarted.
  std::optional<std::chrono::milliseconds> patience = std::chrono::seconds{60};
  bool json = false;  // how a refusal is printed
};

enum class PollNext { kGoOn, kEnd };

struct PollEnd {
  bool interrupted = false;
  std::optional<int> failure = {};  // the exit code; what it is has been said
};

// Gives every answer to `take`, until that says it is the end, the server refuses, nobody answers for too
// long, or Ctrl-C or SIGTERM comes. A server that does not answer at the first time has failed; later it may
// have been restarted, so it is asked on, and `lost` is told once each time it is gone. A 503 counts as that.
PollEnd poll(api::Client& client, const PollOptions& options,
             const std::function<PollNext(const std::string& body)>& take,
             const std::function<void(const std::string& reason)>& lost);

}  // namespace cairn::cli
