#include "upcasters/model/upcaster.h"

#include "upcasters/model/fingerprint.h"

namespace cairn {

std::string upcaster_file(const UpcasterHeader& header) {
  return header.type + "/" + std::to_string(header.from) + "-" + std::to_string(header.to) + ".lua";
}

std::string Upcaster::file() const { return upcaster_file(header); }

std::string fingerprint_of(const UpcasterHeader& header, std::string_view source) {
  Fingerprint fingerprint;
  fingerprint.add("upcaster").add(header.type).add(header.from).add(header.to).add(source);
  return fingerprint.text();
}

}  // namespace cairn
