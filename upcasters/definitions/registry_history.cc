#include "upcasters/definitions/registry_history.h"

namespace cairn {

TypeHistory RegistryHistory::history(std::string_view type) {
  TypeHistory history{std::string(type), {}, upcasters_.of_type(type)};
  auto versions = registry_.read([&](const RegistryState& state) -> RegistryResult<SubjectVersions> {
    const SubjectVersions* found = state.find_subject(type);
    return found == nullptr ? SubjectVersions() : *found;
  });
  if (versions) history.versions = *std::move(versions);
  return history;
}

}  // namespace cairn
