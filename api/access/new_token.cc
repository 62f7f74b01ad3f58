#include "api/access/new_token.h"

#include <openssl/rand.h>

#include <array>
#include <cstdint>

namespace cairn::api {

namespace {

constexpr std::string_view kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

}  // namespace

Result<std::string> new_secret(std::string_view prefix) {
  std::array<std::uint8_t, 32> random{};
  if (RAND_bytes(random.data(), static_cast<int>(random.size())) != 1) {
    return make_error(Errc::kIo, "the system gave no random bytes");
  }
  std::string secret(prefix);
  std::uint32_t bits = 0;
  int count = 0;
  for (const std::uint8_t byte : random) {
    bits = (bits << 8) | byte;
    count += 8;
    while (count >= 6) {
      count -= 6;
      secret += kDigits[(bits >> count) & 63];
    }
  }
  secret += kDigits[(bits << (6 - count)) & 63];  // the last 4 bits
  return secret;
}

Result<std::string> new_token() { return new_secret("cairn_"); }

}  // namespace cairn::api
