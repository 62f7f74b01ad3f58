#pragma once

#include "eventstore/options.h"

namespace cairn::test {

// Options for tests: small maps, little preallocation.
inline StoreOptions small_store() {
  StoreOptions options;
  options.log_map_bytes = 64u << 20;
  options.index_map_bytes = 64u << 20;
  options.journal_bytes = 64u << 10;
  return options;
}

}  // namespace cairn::test
