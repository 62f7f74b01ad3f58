#include "eventstore/base/sealed.h"

#include "eventstore/base/checksum.h"
#include "eventstore/base/endian.h"

namespace cairn::record {
namespace {

constexpr std::size_t kSealBytes = 4;

std::uint32_t seal_of(std::string_view key, std::string_view payload) {
  return static_cast<std::uint32_t>(checksum64(payload, checksum64(key)));
}

}  // namespace

void put_varint(std::string& out, std::uint64_t number) {
  while (number >= 0x80) {
    out += static_cast<char>(number | 0x80);
    number >>= 7;
  }
  out += static_cast<char>(number);
}

std::optional<std::uint64_t> take_varint(std::string_view& in) {
  std::uint64_t number = 0;
  for (unsigned shift = 0; shift < 64 && !in.empty(); shift += 7) {
    const auto byte = static_cast<unsigned char>(in.front());
    in.remove_prefix(1);
    number |= std::uint64_t{byte & 0x7Fu} << shift;
    if (byte < 0x80) return number;
  }
  return std::nullopt;
}

std::string seal(std::string_view key, std::string payload) {
  const std::uint32_t sum = seal_of(key, payload);
  payload.resize(payload.size() + kSealBytes);
  store_le(payload.data() + payload.size() - kSealBytes, sum);
  return payload;
}

Result<std::string_view> unseal(std::string_view key, std::string_view sealed) {
  if (sealed.size() >= kSealBytes) {
    const std::string_view payload = sealed.substr(0, sealed.size() - kSealBytes);
    if (load_le<std::uint32_t>(payload.data() + payload.size()) == seal_of(key, payload)) return payload;
  }
  return make_error(Errc::kCorruption, "index record '" + printable(key) + "' does not match its checksum");
}

std::string printable(std::string_view key) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text;
  for (const char c : key) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte >= 0x20 && byte != 0x7F) {
      text += c;
    } else {
      text += "\\x";
      text += kDigits[byte >> 4];
      text += kDigits[byte & 15];
    }
  }
  return text;
}

}  // namespace cairn::record
