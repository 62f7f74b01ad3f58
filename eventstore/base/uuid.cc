#include "eventstore/base/uuid.h"

#include <sys/random.h>

#include <chrono>

#include "eventstore/base/assert.h"
#include "eventstore/base/uuid_text.h"

namespace cairn {
namespace {

constexpr std::string_view kHex = "0123456789abcdef";

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

bool is_dash_index(std::size_t index) { return index == 8 || index == 13 || index == 18 || index == 23; }

// Random numbers from the operating system, fetched 512 bytes at a time: a system call per event is
// measurable.
std::uint64_t os_random() {
  thread_local std::array<std::uint64_t, 64> pool;
  thread_local std::size_t left = 0;
  if (left == 0) {
    std::size_t have = 0;
    while (have < sizeof pool) {
      const ssize_t got = getrandom(reinterpret_cast<char*>(pool.data()) + have, sizeof pool - have, 0);
      if (got > 0) have += static_cast<std::size_t>(got);
    }
    left = pool.size();
  }
  return pool[--left];
}

}  // namespace

std::optional<Uuid> Uuid::parse(std::string_view text) {
  if (text.size() != 36) return std::nullopt;
  Uuid id;
  std::size_t byte = 0;
  for (std::size_t i = 0; i < text.size();) {
    if (is_dash_index(i)) {
      if (text[i] != '-') return std::nullopt;
      ++i;
      continue;
    }
    const int upper = hex_digit(text[i]);
    const int lower = hex_digit(text[i + 1]);
    if (upper < 0 || lower < 0) return std::nullopt;
    id.bytes[byte++] = static_cast<std::uint8_t>(upper * 16 + lower);
    i += 2;
  }
  return id;
}

std::array<char, 36> uuid_text(const Uuid& id) {
  // The index of the two digits of each byte.
  constexpr std::array<std::size_t, 16> kDigitsAt{0, 2, 4, 6, 9, 11, 14, 16, 19, 21, 24, 26, 28, 30, 32, 34};
  std::array<char, 36> text;
  text.fill('-');
  for (std::size_t i = 0; i < id.bytes.size(); ++i) {
    text[kDigitsAt[i]] = kHex[id.bytes[i] >> 4];
    text[kDigitsAt[i] + 1] = kHex[id.bytes[i] & 15];
  }
  return text;
}

std::string Uuid::to_string() const {
  const std::array<char, 36> text = uuid_text(*this);
  return {text.data(), text.size()};
}

Uuid make_uuid_v7(std::uint64_t unix_ms, std::uint64_t random_high, std::uint64_t random_low) {
  const std::uint64_t high = (unix_ms << 16) | 0x7000u | (random_high & 0x0FFFu);
  const std::uint64_t low = (random_low & 0x3FFFFFFFFFFFFFFFull) | 0x8000000000000000ull;
  return Uuid::from_halves(high, low);
}

Uuid new_event_id() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  const auto ms = std::chrono::duration_cast<std::chrono::milliseconds>(now).count();
  return make_uuid_v7(static_cast<std::uint64_t>(ms), os_random(), os_random());
}

}  // namespace cairn
