#include "upcasters/definitions/registry_history.h"

namespace cairn {

// A version and the upcaster registered with it stand in one append. The upcasters are read last: an upcaster
// without its version has no effect, but a version without its upcaster would be reached by another chain, or
// not at all. A failure of their catch_up() is ignored: the next one fails in the same way and reports it.
TypeHistory RegistryHistory::history(std::string_view type) {
  TypeHistory history{std::string(type), {}, {}};
  auto versions = registry_.read([&](const RegistryState& state) -> RegistryResult<SubjectVersions> {
    const SubjectVersions* found = state.find_subject(type);
    return found == nullptr ? SubjectVersions() : *found;
  });
  if (versions) history.versions = *std::move(versions);
  (void)upcasters_.catch_up();
  history.upcasters = upcasters_.of_type(type);
  return history;
}

}  // namespace cairn
