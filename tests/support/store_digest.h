#pragma once

#include <cstdint>

#include "eventstore/event_store.h"

namespace cairn::test {

// Reads everything in the store by every path (scan, pages in both directions, each stream, each category
// and type, listing, infos) and computes one digest. Equal digests mean equal answers.
Result<std::uint64_t> digest_of(EventStore& store);

}  // namespace cairn::test
