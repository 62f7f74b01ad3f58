#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace cairn {

// XXH3-64: detects accidental damage at memory speed. Not cryptographic.
std::uint64_t checksum64(const void* data, std::size_t size, std::uint64_t seed = 0);
inline std::uint64_t checksum64(std::string_view text, std::uint64_t seed = 0) {
  return checksum64(text.data(), text.size(), seed);
}

// SHA-256, for the hash chain of the log: a block cannot be changed without changing every hash after it.
using Sha256 = std::array<std::uint8_t, 32>;
Sha256 sha256(std::span<const std::byte> bytes);
inline Sha256 sha256(std::string_view text) {
  return sha256(std::as_bytes(std::span(text.data(), text.size())));
}

std::string to_hex(std::span<const std::uint8_t> bytes);

}  // namespace cairn
