#pragma once

#include <cstdint>
#include <random>

#include "eventstore/base/uuid.h"
#include "eventstore/types.h"

namespace cairn {

// Makes ids for events that came without one. They must be unique and need not be secret: so the operating
// system provides the seed only, because a system call for each id shows in profiles of the writer thread.
// Not thread-safe.
class EventIdMaker {
 public:
  EventIdMaker() {
    std::seed_seq seed{os_random_word(), os_random_word(), os_random_word(), os_random_word(),
                       os_random_word(), os_random_word(), os_random_word(), os_random_word()};
    random_.seed(seed);
  }

  // A UUIDv7 of the time `now`.
  Uuid make(Timestamp now) {
    const std::int64_t ms = now.micros / 1000;
    return make_uuid_v7(static_cast<std::uint64_t>(ms), random_(), random_());
  }

 private:
  static std::uint32_t os_random_word() { return static_cast<std::uint32_t>(new_event_id().low()); }

  std::mt19937_64 random_;
};

}  // namespace cairn
