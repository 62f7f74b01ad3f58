#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>

#include "api/client/client.h"
#include "eventstore/base/result.h"

namespace cairn::cli {

// Which state of a stream is wanted: that of its head unless one of them is given.
struct StateWanted {
  std::string stream;
  std::optional<std::uint64_t> version = {};
  std::string time = {};  // RFC 3339; "" = none
};

// A state as a server told it.
struct AskedState {
  std::uint64_t version = 0;
  std::string recorded_at;  // of its last event
  std::string state;        // JSON as the server wrote it
  std::optional<std::uint64_t> snapshot_version;
  std::uint64_t events_folded = 0;
  std::string json;  // the server's own words
};

// The state, or the answer of a server that refused. Errors are those of the client, and kFailedPrecondition
// when this is no Cairn server.
Result<std::variant<AskedState, api::Answer>> ask_state(api::Client& client, const StateWanted& wanted);

}  // namespace cairn::cli
