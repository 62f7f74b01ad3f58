#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "projections/readmodel/read_model.h"

// How a read model is written down; docs/format.md shows the bytes. Every value is sealed: a checksum of key
// and payload stands in front, because neither LMDB nor a disk would tell us of a changed bit.
namespace cairn::stored {

inline constexpr std::uint64_t kFormat = 1;
inline constexpr std::size_t kSealBytes = 8;

// Sets `sealed` to the value of `key`.
void seal(std::string_view key, std::string_view payload, std::string& sealed);

// The payload; nullopt when it does not match its checksum. Lives as long as `sealed`.
std::optional<std::string_view> unseal(std::string_view key, std::string_view sealed);

// Changes with each commit.
struct State {
  GlobalPosition through;
  std::uint64_t rows = 0;
};
std::string encode(const State& state);
std::optional<State> decode_state(std::string_view payload);

// kInvalidArgument: something in it is not UTF-8.
Result<std::string> encode(const ReadModelIdentity& identity);
// kFailedPrecondition: of a format this program does not know. kCorruption: no identity.
Result<ReadModelIdentity> decode_identity(std::string_view payload);

// What is parked at a place, and how many events wait there.
struct Parked {
  ParkedEvent event;
  std::uint64_t waiting = 0;
};
std::string encode(const Parked& parked);
std::optional<Parked> decode_parked(std::string_view payload);

// Rises as places do.
std::string place_key(const ParkedPlace& place);
std::optional<ParkedPlace> decode_place(std::string_view key);

// The keys of one place stand together, and rise with the position. The place's length stands in front, so
// that no other place's keys come between.
std::string waiting_key(std::string_view place_key, GlobalPosition position);

struct WaitingKey {
  std::string_view place_key;
  GlobalPosition position;
};
std::optional<WaitingKey> decode_waiting_key(std::string_view key);

}  // namespace cairn::stored
