#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "upcasters/event_shapes.h"
#include "upcasters/model/fingerprint.h"

namespace cairn {

// A text that differs when schemas or upcasters have changed in a way that may give other shapes to events of
// these types: rows made before could come out otherwise today.
inline std::string shapes_mark(EventShapes& shapes, const std::vector<std::string>& types) {
  std::vector<std::string> stored = shapes.stored_types(types, Shape::latest());
  std::sort(stored.begin(), stored.end());
  Fingerprint mark;
  for (const std::string& type : stored) {
    const TypeHistory history = shapes.history().history(type);
    mark.add(type).add(history.versions.size());
    for (const SubjectVersion& version : history.versions) {
      mark.add(version.version).add(version.deleted ? 1 : 0).add(version.schema->id.value);
    }
    mark.add(history.upcasters.size());
    for (const auto& [from, upcaster] : history.upcasters) {
      mark.add(from).add(upcaster->fingerprint).add(upcaster->registry_changes);
    }
  }
  return mark.text();
}

}  // namespace cairn
