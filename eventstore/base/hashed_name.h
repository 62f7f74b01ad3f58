#pragma once

#include <cstdint>
#include <string_view>

#include "eventstore/base/seeded_hash.h"

namespace cairn {

// A name and its hash, computed once for several lookups. A view: it does not own the text.
struct HashedName {
  HashedName() = default;
  HashedName(std::string_view name) : text(name), hash(SeededHash{}(name)) {}

  std::string_view text;
  std::uint64_t hash = 0;
};

}  // namespace cairn
