#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "eventstore/base/checksum.h"

namespace cairn {

// A hash of several inputs as short text.
class Fingerprint {
 public:
  Fingerprint& add(std::string_view part) {
    // The length keeps ("ab", "c") and ("a", "bc") apart.
    gathered_ += std::to_string(part.size());
    gathered_ += ':';
    gathered_ += part;
    return *this;
  }
  Fingerprint& add(std::uint64_t number) { return add(std::string_view(std::to_string(number))); }

  // 32 hexadecimal digits.
  std::string text() const {
    const Sha256 hash = sha256(gathered_);
    return to_hex({hash.data(), 16});
  }

 private:
  std::string gathered_;
};

}  // namespace cairn
