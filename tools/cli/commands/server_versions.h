#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "tools/cli/schema/registry_client.h"

namespace cairn::cli {

// Which versions of schemas a server has. Asks once for each type. Not thread-safe.
class ServerVersions {
 public:
  // REQUIRES: the client outlives this.
  explicit ServerVersions(api::Client& client) : registry_(client) {}

  // True also when the server does not say, for example to a token without the scope read.
  bool may_have(const std::string& type, std::uint32_t version);

 private:
  RegistryClient registry_;
  std::unordered_map<std::string, std::optional<std::vector<int>>> versions_;  // nullopt: not known
};

}  // namespace cairn::cli
