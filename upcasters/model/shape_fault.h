#pragma once

#include <cstdint>
#include <string>

#include "eventstore/base/result.h"
#include "eventstore/types.h"

namespace cairn {

struct Upcaster;

// Why an event cannot be brought into a shape.
struct ShapeFault {
  enum class Kind : std::uint8_t {
    kCorruption,  // the stored bytes do not match their schema
    kNoVersion,   // the type has no such version
    kNoWay,       // the next schema cannot read the data, and there is no upcaster
    kScript,      // an upcaster's script failed
    kLimit,       // an upcaster's script exceeded a limit of time or memory
    kResult,      // the result of an upcaster does not fit the schema
  };
  Kind kind = Kind::kCorruption;
  std::string message;                 // one line
  std::string group;                   // equal for similar faults, which are counted together
  int line = 0;                        // of the script; 0 = unknown
  const Upcaster* upcaster = nullptr;  // whose script failed; only to be compared, it may be gone

  GlobalPosition position;
  std::string stream;
  StreamVersion version;
};

template <typename T>
using ShapeResult = Result<T, ShapeFault>;

}  // namespace cairn
