#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "api/client/client.h"
#include "eventstore/base/result.h"
#include "upcasters/model/upcaster.h"

namespace cairn::cli {

// An upcaster that is installed on a server.
struct InstalledUpcaster {
  std::string type;
  std::uint64_t from = 0;
  std::uint64_t to = 0;
  std::uint64_t revision = 0;
  std::string fingerprint;
  std::string installed_at;
  std::string source;  // if it was requested
  std::string json;    // the server's answer, unchanged
};

// The upcasters of a server.
struct InstalledUpcasters {
  std::vector<InstalledUpcaster> upcasters;
  std::string json;  // the server's answer, unchanged
};

// All upcasters, without their sources. Fails with the client's error, or with kFailedPrecondition and the
// server's reason when the server refuses.
Result<InstalledUpcasters> installed_upcasters(api::Client& client);

// The upcasters of one type, with their sources; nullopt when there are none. Errors as above.
Result<std::optional<InstalledUpcasters>> installed_upcasters(api::Client& client, const std::string& type);

// The given upcaster, if it is installed. Errors as above.
Result<std::optional<InstalledUpcaster>> find_installed(api::Client& client, const UpcasterHeader& header,
                                                        const std::string& source);

}  // namespace cairn::cli
