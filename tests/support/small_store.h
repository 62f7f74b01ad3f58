#pragma once

#include "eventstore/options.h"

namespace cairn::test {

// Small maps, little filled ahead: what a test wants of a store.
inline StoreOptions small_store() {
  StoreOptions options;
  options.log_map_bytes = 64u << 20;
  options.index_map_bytes = 64u << 20;
  options.journal_bytes = 64u << 10;
  return options;
}

}  // namespace cairn::test
