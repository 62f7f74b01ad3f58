#include "upcasters/definitions/registry_history.h"

namespace cairn {

// Reads the upcasters last: an upcaster without its version has no effect, but a version without the upcaster
// that was registered with it would be reached by another chain, or not at all.
TypeHistory RegistryHistory::history(std::string_view type) {
  TypeHistory history{std::string(type), {}, {}};
  auto versions = registry_.read([&](const RegistryState& state) -> RegistryResult<SubjectVersions> {
    const SubjectVersions* found = state.find_subject(type);
    return found == nullptr ? SubjectVersions() : *found;
  });
  if (versions) history.versions = *std::move(versions);
  if (refresh_) refresh_();
  history.upcasters = upcasters_.of_type(type);
  return history;
}

}  // namespace cairn
