#include "eventstore/base/seeded_hash.h"

namespace cairn {

std::uint64_t process_hash_seed() {
  static const std::uint64_t seed = new_event_id().low();
  return seed;
}

}  // namespace cairn
