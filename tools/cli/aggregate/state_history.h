#pragma once

#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "api/client/client.h"
#include "eventstore/base/result.h"
#include "tools/cli/aggregate/asked_state.h"

namespace cairn::cli {

// An event that gave a field another value.
struct FieldChange {
  std::uint64_t version = 0;
  std::uint64_t position = 0;
  std::string recorded_at;
  std::string type;
  std::optional<nlohmann::ordered_json> value;  // nullopt = the field is gone
};

struct FieldHistory {
  std::uint64_t from = 1;  // the first version that was looked at
  std::uint64_t to = 0;    // the last one
  std::vector<FieldChange> changes;
};

// No more states than this are asked for: the newest ones.
inline constexpr std::uint64_t kHistoryVersionsMax = 10'000;

// How the field at `pointer` came to be what it is in the state that is wanted, event by event. Asks the
// server for the state at each version, and shows on stderr how far that is.
//
// An answer is that of a server that refused. Errors are those of the client, and kFailedPrecondition when
// this is no Cairn server.
Result<std::variant<FieldHistory, api::Answer>> field_history(api::Client& client, const StateWanted& wanted,
                                                              const std::string& pointer);

}  // namespace cairn::cli
