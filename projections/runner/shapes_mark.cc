#include "projections/runner/shapes_mark.h"

#include <algorithm>

#include "upcasters/model/fingerprint.h"

namespace cairn {

std::string shapes_mark(EventShapes& shapes, const std::vector<std::string>& types) {
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

std::string ShapesMarkCache::mark(EventShapes& shapes, std::uint64_t generation,
                                  const std::vector<std::string>& types) {
  const std::uint64_t changes = shapes.chains().changes();
  const MutexLock lock(mutex_);
  if (changes_ != changes || generation_ != generation) {
    mark_ = shapes_mark(shapes, types);
    changes_ = changes;
    generation_ = generation;
  }
  return mark_;
}

}  // namespace cairn
