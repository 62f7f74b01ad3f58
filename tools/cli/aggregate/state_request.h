#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>

#include "api/client/client.h"
#include "eventstore/base/result.h"

namespace cairn::cli {

// The wanted state of a stream: the newest one unless a version or a time is given.
struct StateRequest {
  std::string stream;
  std::optional<std::uint64_t> version = {};
  std::string time = {};  // RFC 3339; "" = none
};

// A state in a server's answer.
struct StateAnswer {
  std::uint64_t version = 0;
  std::string recorded_at;  // of its last event
  std::string state;        // JSON as the server wrote it
  std::optional<std::uint64_t> snapshot_version;
  std::uint64_t events_folded = 0;
  std::string json;  // the server's answer, unchanged
};

// The state, or the server's answer when it refuses. Fails with the client's errors, and with
// kFailedPrecondition when the answer is not a Cairn server's.
Result<std::variant<StateAnswer, api::Answer>> ask_state(api::Client& client, const StateRequest& wanted);

}  // namespace cairn::cli
