#include "tools/cli/commands/server_versions.h"

#include <algorithm>
#include <utility>

namespace cairn::cli {

bool ServerVersions::may_have(const std::string& type, std::uint32_t version) {
  auto known = versions_.find(type);
  if (known == versions_.end()) {
    std::optional<std::vector<int>> versions;
    if (auto answer = registry_.versions(type, Deleted::kLeftOut)) {
      versions = std::move(*answer).value_or(std::vector<int>());
    }
    known = versions_.emplace(type, std::move(versions)).first;
  }
  return !known->second ||
         std::ranges::find(*known->second, static_cast<int>(version)) != known->second->end();
}

}  // namespace cairn::cli
