#pragma once

#include <cstdint>
#include <string>

#include "eventstore/types.h"

namespace cairn {

struct Upcaster;

// Why an event cannot be brought into the shape that is wanted.
struct ShapeFault {
  enum class Kind : std::uint8_t {
    kCorruption,  // the stored bytes are not what their schema says
    kNoVersion,   // the type has no such version
    kNoWay,       // the next schema cannot read the data, and there is no upcaster
    kScript,      // an upcaster's script failed
    kLimit,       // an upcaster's script took more time or memory than it may
    kResult,      // what an upcaster made does not fit the schema
  };
  Kind kind = Kind::kCorruption;
  std::string message;                 // for people, one line
  std::string group;                   // the same for faults that are alike
  int line = 0;                        // of the script; 0 where there is none
  const Upcaster* upcaster = nullptr;  // whose script it was; to be compared, not looked into

  GlobalPosition position;
  std::string stream;
  StreamVersion version;
};

}  // namespace cairn
