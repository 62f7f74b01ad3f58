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
#include "tools/cli/aggregate/state_request.h"

namespace cairn::cli {

// An event that changed a field.
struct FieldChange {
  std::uint64_t version = 0;
  std::uint64_t position = 0;
  std::string recorded_at;
  std::string type;
  std::optional<nlohmann::ordered_json> value;  // nullopt = the field is gone
};

struct FieldHistory {
  std::uint64_t from = 1;  // the first version examined
  std::uint64_t to = 0;    // the last one
  std::vector<FieldChange> changes;
};

// The bound of the states that are requested: the newest ones.
inline constexpr std::uint64_t kHistoryVersionsMax = 10'000;

// The events that changed the field at `pointer`, up to the wanted state. Requests the state at each version
// from the server, and shows progress on stderr.
//
// Returns the server's answer when it refuses. Fails with the client's errors, and with kFailedPrecondition
// when the answer is not a Cairn server's.
Result<std::variant<FieldHistory, api::Answer>> field_history(api::Client& client, const StateRequest& wanted,
                                                              const std::string& pointer);

}  // namespace cairn::cli
