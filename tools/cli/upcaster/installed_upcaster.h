#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "api/client/client.h"
#include "eventstore/base/result.h"
#include "upcasters/model/upcaster.h"

namespace cairn::cli {

// An upcaster as a server has it.
struct InstalledUpcaster {
  std::string type;
  std::uint64_t from = 0;
  std::uint64_t to = 0;
  std::uint64_t revision = 0;
  std::string fingerprint;
  std::string installed_at;
  std::string source;  // where it was asked for
  std::string json;    // the server's own words
};

// What a server says of its upcasters.
struct InstalledUpcasters {
  std::vector<InstalledUpcaster> upcasters;
  std::string json;  // the server's own words
};

// All upcasters, without their sources. An error is that of the client, or kFailedPrecondition when the
// server refused, with its reason.
Result<InstalledUpcasters> installed_upcasters(api::Client& client);

// Those of one type with their sources; nullopt when there are none. Errors as above.
Result<std::optional<InstalledUpcasters>> installed_upcasters(api::Client& client, const std::string& type);

// This very one, if it is installed. Errors as above.
Result<std::optional<InstalledUpcaster>> find_installed(api::Client& client, const UpcasterHeader& header,
                                                        const std::string& source);

}  // namespace cairn::cli
