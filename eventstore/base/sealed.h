#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "eventstore/base/result.h"

// How records in LMDB tables are written. A record is its payload followed by a checksum of key and payload:
// neither LMDB nor a disk reports a flipped bit, and a wrong stream head or row would be served as the truth.
namespace cairn::record {

// LEB128: seven bits a byte, lowest first.
void put_varint(std::string& out, std::uint64_t number);

// Reads one from the front of `in` and removes it; nullopt when `in` ends early or the number is over 64
// bits.
std::optional<std::uint64_t> take_varint(std::string_view& in);

// `payload` with its checksum behind it.
std::string seal(std::string_view key, std::string payload);

// The payload, or kCorruption naming `key` when the checksum does not match.
Result<std::string_view> unseal(std::string_view key, std::string_view sealed);

// The text of a key as people can read it in a message.
std::string printable(std::string_view key);

}  // namespace cairn::record
