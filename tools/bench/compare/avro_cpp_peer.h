#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "eventstore/base/result.h"

namespace cairn::bench {

// Avro's own C++ library, reading what was written with one schema as another one has it.
class AvroCppPeer {
 public:
  // Fails with kFailedPrecondition when this program was built without the library.
  static Result<std::unique_ptr<AvroCppPeer>> make(std::string_view writer, std::string_view reader);
  virtual ~AvroCppPeer() = default;

  // Reads each into a GenericDatum and sums up its numbers and texts, as ValueSink::sum() does.
  virtual Result<std::uint64_t> read_all(const std::vector<std::string>& records) = 0;
};

}  // namespace cairn::bench
