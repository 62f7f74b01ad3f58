#pragma once

#include <cstdint>

#include "eventstore/event_store.h"

namespace cairn::test {

// Reads everything in the store by every path there is (scan, pages in both directions, each stream, each
// category and type, listing, infos) and makes one number of all of it. Equal numbers: equal answers
// everywhere.
Result<std::uint64_t> digest_of(EventStore& store);

}  // namespace cairn::test
