#pragma once

#include <string>
#include <vector>

#include "tools/cli/schema/registry_client.h"
#include "tools/cli/schema/schema_history.h"

namespace cairn::cli {

// The versions that a server has registered. Compatibility is decided by the server.
class ServerHistory : public SchemaHistory {
 public:
  // REQUIRES: the registry outlives this.
  explicit ServerHistory(RegistryClient& registry) : registry_(registry) {}

  Result<std::optional<int>> find(const SchemaFile& schema) override;
  Result<std::optional<std::vector<std::string>>> check(const SchemaFile& schema) override;
  Result<CompatibilityLevel> level(const std::string& subject) override;
  Result<std::vector<SchemaVersion>> versions(const std::string& subject) override;
  Result<std::optional<SchemaVersion>> version(const SchemaReference& reference) override;

 private:
  RegistryClient& registry_;
};

}  // namespace cairn::cli
