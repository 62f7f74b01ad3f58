#include "upcasters/model/upcaster.h"

#include <fmt/format.h>

#include "upcasters/model/fingerprint.h"

namespace cairn {

std::string upcaster_file(const UpcasterHeader& header) {
  return fmt::format("{}/{}-{}.lua", header.type, header.from, header.to);
}

std::string Upcaster::file() const { return upcaster_file(header); }

std::string fingerprint_of(const UpcasterHeader& header, std::string_view source) {
  Fingerprint fingerprint;
  fingerprint.add("upcaster").add(header.type).add(header.from).add(header.to).add(source);
  return fingerprint.text();
}

}  // namespace cairn
