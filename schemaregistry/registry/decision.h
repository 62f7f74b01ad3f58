#pragma once

#include <vector>

#include "schemaregistry/registry/registry_event.h"

namespace cairn {

// What a command does, and what it answers once that is done. Decisions are made by pure functions of the
// state, so they can be made again when somebody else was quicker.
template <typename T>
struct Decision {
  T answer;
  std::vector<RegistryEvent> events;  // none: things are already as wanted
};

}  // namespace cairn
