#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "eventstore/base/mutex.h"
#include "upcasters/event_shapes.h"

namespace cairn {

// A fingerprint of the schemas and upcasters that events of these types pass through. When it differs from
// the one a generation was started with, a rebuild could give other rows.
std::string shapes_mark(EventShapes& shapes, const std::vector<std::string>& types);

// shapes_mark() for the types of one generation at a time, computed again only when schemas or upcasters have
// changed: a status is asked for far more often. Thread-safe.
class ShapesMarkCache {
 public:
  std::string mark(EventShapes& shapes, std::uint64_t generation, const std::vector<std::string>& types)
      CAIRN_EXCLUDES(mutex_);

 private:
  Mutex mutex_;
  std::string mark_ CAIRN_GUARDED_BY(mutex_);
  std::uint64_t changes_ CAIRN_GUARDED_BY(mutex_) = 0;     // of the shapes that the mark was made from
  std::uint64_t generation_ CAIRN_GUARDED_BY(mutex_) = 0;  // 0: there is no mark yet
};

}  // namespace cairn
