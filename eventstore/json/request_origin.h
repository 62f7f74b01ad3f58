#pragma once

#include <string>
#include <string_view>

namespace cairn {

// The request because of which the program writes an event to one of its own streams. Empty for what the
// program does by itself.
struct RequestOrigin {
  std::string actor;       // the name of the client's token; empty when none is needed
  std::string request_id;  // the answer to the client has the same

  friend bool operator==(const RequestOrigin&, const RequestOrigin&) = default;
};

// What $audit says about a command.
inline constexpr std::string_view kOutcomeOk = "ok";            // it was carried out
inline constexpr std::string_view kOutcomeBegun = "begun";      // written before it was carried out
inline constexpr std::string_view kOutcomeRefused = "refused";  // nothing has changed

// The metadata of such an event: {"actor":"ops","requestId":"…","outcome":"ok"}, without members that are
// empty; empty when all are.
std::string metadata_of(const RequestOrigin& origin, std::string_view outcome = {});

}  // namespace cairn
