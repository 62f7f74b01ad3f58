#pragma once

#include <cstdint>

namespace cairn {

// The version of its schema that an event is brought to.
struct Shape {
  enum class Kind : std::uint8_t {
    kLatest,   // the newest version of its type
    kStored,   // the version it was written with
    kVersion,  // a given version
  };
  Kind kind = Kind::kLatest;
  std::uint32_t version = 0;  // kVersion

  static constexpr Shape latest() { return {}; }
  static constexpr Shape stored() { return {Kind::kStored, 0}; }
  static constexpr Shape of_version(std::uint32_t version) { return {Kind::kVersion, version}; }

  friend bool operator==(Shape, Shape) = default;
};

}  // namespace cairn
