#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "projections/readmodel/read_model.h"

// Encoding of the records of a read model; docs/format.md describes the bytes. Every value is sealed: it
// begins with a checksum of key and payload, because neither LMDB nor a disk detects a flipped bit.
namespace cairn::stored {

inline constexpr std::uint64_t kFormat = 1;
inline constexpr std::size_t kSealBytes = 8;

// Sets `sealed` to the sealed value for `key`.
void seal(std::string_view key, std::string_view payload, std::string& sealed);

// The payload; nullopt when it does not match its checksum. A view into `sealed`.
std::optional<std::string_view> unseal(std::string_view key, std::string_view sealed);

// Written with each commit.
struct State {
  GlobalPosition through;
  std::uint64_t rows = 0;
};
std::string encode(const State& state);
std::optional<State> decode_state(std::string_view payload);

// A number of its own.
std::string encode_count(std::uint64_t count);
std::optional<std::uint64_t> decode_count(std::string_view payload);

// kInvalidArgument: a text in it is not UTF-8.
Result<std::string> encode(const ReadModelIdentity& identity);
// kFailedPrecondition: the format is unknown. kCorruption: it cannot be decoded.
Result<ReadModelIdentity> decode_identity(std::string_view payload);

// The parked event of a place, and how many events wait there.
struct Parked {
  ParkedEvent event;
  std::uint64_t waiting = 0;
};
std::string encode(const Parked& parked);
std::optional<Parked> decode_parked(std::string_view payload);

// Sorts as places do.
std::string place_key(const ParkedPlace& place);
std::optional<ParkedPlace> decode_place(std::string_view key);

// The keys of one place are contiguous and ordered by position. The length of the place comes first, so that
// no key of another place sorts between them.
std::string waiting_key(std::string_view place_key, GlobalPosition position);

struct WaitingKey {
  std::string_view place_key;
  GlobalPosition position;
};
std::optional<WaitingKey> decode_waiting_key(std::string_view key);

}  // namespace cairn::stored
