#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "eventstore/base/result.h"

// The encoding of records in LMDB tables. A "sealed" record is its payload followed by a 32-bit checksum of
// key and payload: neither LMDB nor most disks report a flipped bit, and a wrong stream head or row would be
// served as valid.
namespace cairn::record {

// LEB128: seven bits per byte, lowest first.
void put_varint(std::string& out, std::uint64_t number);

// Reads a varint from the front of `in` and removes it; nullopt when `in` ends early or the number exceeds 64
// bits.
std::optional<std::uint64_t> take_varint(std::string_view& in);

// `payload` followed by its checksum.
std::string seal(std::string_view key, std::string payload);

// The payload, as a view of `sealed`. Fails with kCorruption, naming `key`, when the checksum does not match.
Result<std::string_view> unseal(std::string_view key, std::string_view sealed);

// A key for use in a message: control characters as \xNN.
std::string printable(std::string_view key);

}  // namespace cairn::record
