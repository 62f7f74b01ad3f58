#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "schemaregistry/model/schema.h"

namespace cairn {

// Avro's Parsing Canonical Form: only what determines how bytes are read. Types of referenced schemas are
// written out, so it can be parsed without them.
std::string canonical_form(const Schema& schema);

// CRC-64-AVRO of a text. Avro's fingerprint of a schema is that of its canonical form.
std::uint64_t crc64_avro(std::string_view text);

}  // namespace cairn
