#pragma once

#include <vector>

#include "schemaregistry/registry/registry_event.h"

namespace cairn {

// The events of a command, and its answer once they are appended. Decisions are pure functions of the state,
// so they can be repeated after a version conflict.
template <typename T>
struct Decision {
  T answer;
  std::vector<RegistryEvent> events;  // none: nothing changes
};

}  // namespace cairn
