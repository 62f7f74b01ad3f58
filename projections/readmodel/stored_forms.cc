#include "projections/readmodel/stored_forms.h"

#include <fmt/format.h>

#include <limits>
#include <nlohmann/json.hpp>

#include "eventstore/base/checksum.h"
#include "eventstore/base/endian.h"
#include "eventstore/base/sealed.h"

namespace cairn::stored {
namespace {

constexpr std::size_t kStateBytes = 16;
constexpr char kByKey = 'k';
constexpr char kByStream = 's';
constexpr std::size_t kLengthBytes = 2;
constexpr std::size_t kPositionBytes = 8;

std::uint64_t seal_of(std::string_view key, std::string_view payload) {
  return checksum64(payload, checksum64(key));
}

void put_text(std::string& to, std::string_view text) {
  record::put_varint(to, text.size());
  to += text;
}

bool take(std::string_view& in, std::uint64_t& number) {
  const auto taken = record::take_varint(in);
  number = taken.value_or(0);
  return taken.has_value();
}

bool take(std::string_view& in, std::uint32_t& number) {
  std::uint64_t wide = 0;
  if (!take(in, wide) || wide > std::numeric_limits<std::uint32_t>::max()) return false;
  number = static_cast<std::uint32_t>(wide);
  return true;
}

bool take(std::string_view& in, std::string& text) {
  std::uint64_t size = 0;
  if (!take(in, size) || size > in.size()) return false;
  text = in.substr(0, size);
  in.remove_prefix(size);
  return true;
}

Error no_identity() { return make_error(Errc::kCorruption, "the identity cannot be read"); }

}  // namespace

void seal(std::string_view key, std::string_view payload, std::string& sealed) {
  sealed.resize(kSealBytes);
  store_le(sealed.data(), seal_of(key, payload));
  sealed += payload;
}

std::optional<std::string_view> unseal(std::string_view key, std::string_view sealed) {
  if (sealed.size() < kSealBytes) return std::nullopt;
  const std::string_view payload = sealed.substr(kSealBytes);
  if (load_le<std::uint64_t>(sealed.data()) != seal_of(key, payload)) return std::nullopt;
  return payload;
}

std::string encode(const State& state) {
  std::string payload(kStateBytes, '\0');
  store_le(payload.data(), state.through.value);
  store_le(payload.data() + 8, state.rows);
  return payload;
}

std::optional<State> decode_state(std::string_view payload) {
  if (payload.size() != kStateBytes) return std::nullopt;
  return State{{load_le<std::uint64_t>(payload.data())}, load_le<std::uint64_t>(payload.data() + 8)};
}

std::string encode_count(std::uint64_t count) {
  std::string payload(sizeof count, '\0');
  store_le(payload.data(), count);
  return payload;
}

std::optional<std::uint64_t> decode_count(std::string_view payload) {
  if (payload.size() != sizeof(std::uint64_t)) return std::nullopt;
  return load_le<std::uint64_t>(payload.data());
}

Result<std::string> encode(const ReadModelIdentity& identity) {
  const nlohmann::ordered_json json{{"format", kFormat},
                                    {"projection", identity.projection},
                                    {"generation", identity.generation},
                                    {"fingerprint", identity.fingerprint},
                                    {"storeId", identity.store_id},
                                    {"madeAt", identity.made_at.micros},
                                    {"source", identity.source}};
  try {
    return json.dump();
  } catch (const nlohmann::json::exception& thrown) {
    return make_error(Errc::kInvalidArgument, std::string("a read model's identity: ") + thrown.what());
  }
}

Result<ReadModelIdentity> decode_identity(std::string_view payload) {
  const auto json = nlohmann::json::parse(payload, nullptr, false);
  if (!json.is_object() || !json.contains("format")) return no_identity();
  if (json["format"] != kFormat) {
    return make_error(
        Errc::kFailedPrecondition,
        fmt::format("it is of format {}; this program knows format {}", json["format"].dump(), kFormat));
  }
  try {
    return ReadModelIdentity{.projection = json.at("projection").get<std::string>(),
                             .generation = json.at("generation").get<std::uint64_t>(),
                             .fingerprint = json.at("fingerprint").get<std::string>(),
                             .source = json.at("source").get<std::string>(),
                             .store_id = json.at("storeId").get<std::string>(),
                             .made_at = {json.at("madeAt").get<std::int64_t>()}};
  } catch (const nlohmann::json::exception&) {
    return no_identity();
  }
}

std::string encode(const Parked& parked) {
  std::string payload;
  record::put_varint(payload, parked.event.position.value);
  record::put_varint(payload, parked.waiting);
  record::put_varint(payload, static_cast<std::uint64_t>(parked.event.parked_at.micros));
  record::put_varint(payload, parked.event.retries);
  record::put_varint(payload, parked.event.line);
  put_text(payload, parked.event.kind);
  put_text(payload, parked.event.message);
  return payload;
}

std::optional<Parked> decode_parked(std::string_view payload) {
  Parked parked;
  std::uint64_t micros = 0;
  const bool whole = take(payload, parked.event.position.value) && take(payload, parked.waiting) &&
                     take(payload, micros) && take(payload, parked.event.retries) &&
                     take(payload, parked.event.line) && take(payload, parked.event.kind) &&
                     take(payload, parked.event.message);
  if (!whole || !payload.empty()) return std::nullopt;
  parked.event.parked_at = {static_cast<std::int64_t>(micros)};
  return parked;
}

std::string place_key(const ParkedPlace& place) {
  return (place.by == ParkedPlace::By::kKey ? kByKey : kByStream) + place.name;
}

std::optional<ParkedPlace> decode_place(std::string_view key) {
  if (key.empty() || (key[0] != kByKey && key[0] != kByStream)) return std::nullopt;
  return ParkedPlace{key[0] == kByKey ? ParkedPlace::By::kKey : ParkedPlace::By::kStream,
                     std::string(key.substr(1))};
}

std::string waiting_key(std::string_view place_key, GlobalPosition position) {
  std::string key;
  key.reserve(kLengthBytes + place_key.size() + kPositionBytes);
  key += static_cast<char>(place_key.size() >> 8);
  key += static_cast<char>(place_key.size());
  key += place_key;
  key.resize(key.size() + kPositionBytes);
  store_be64(key.data() + key.size() - kPositionBytes, position.value);
  return key;
}

std::optional<WaitingKey> decode_waiting_key(std::string_view key) {
  if (key.size() < kLengthBytes + kPositionBytes) return std::nullopt;
  const std::size_t size = key.size() - kLengthBytes - kPositionBytes;
  const auto high = static_cast<unsigned char>(key[0]);
  const auto low = static_cast<unsigned char>(key[1]);
  if (std::size_t{high} * 256 + low != size) return std::nullopt;
  return WaitingKey{key.substr(kLengthBytes, size), {load_be64(key.data() + kLengthBytes + size)}};
}

}  // namespace cairn::stored
