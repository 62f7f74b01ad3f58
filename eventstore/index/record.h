#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "eventstore/base/result.h"
#include "eventstore/index/stream_head.h"

// How index records are written. A record is its payload and then a checksum of key and payload, because
// neither LMDB nor a disk would tell us of a changed bit, and a wrong stream head would be served as the
// truth.
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

std::string encode_head(const StreamHead& head);
std::optional<StreamHead> decode_head(std::string_view payload);

// The text of a key as people can read it in a message.
std::string printable(std::string_view key);

}  // namespace cairn::record
