#include "api/access/access_list.h"

#include <openssl/crypto.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>

#include "eventstore/base/base64.h"

namespace cairn::api {

namespace {

// Removes `scheme`, in any case, and the spaces after it from the front; false when the scheme is another
// one.
bool take_scheme(std::string_view& text, std::string_view scheme) {
  const auto same = [](char a, char b) {
    return (a >= 'A' && a <= 'Z' ? static_cast<char>(a - 'A' + 'a') : a) == b;
  };
  if (text.size() <= scheme.size() || text[scheme.size()] != ' ' ||
      !std::equal(scheme.begin(), scheme.end(), text.begin(), [&](char b, char a) { return same(a, b); })) {
    return false;
  }
  text.remove_prefix(std::min(text.find_first_not_of(' ', scheme.size()), text.size()));
  return true;
}

// The token in the header's value, or nullopt.
std::optional<std::string> token_in(std::string_view authorization) {
  while (authorization.ends_with(' ')) authorization.remove_suffix(1);
  if (take_scheme(authorization, "bearer")) return std::string(authorization);
  if (!take_scheme(authorization, "basic")) return std::nullopt;
  const auto user_and_password = decode_base64(authorization);
  if (!user_and_password) return std::nullopt;
  const std::size_t colon = user_and_password->find(':');
  if (colon == std::string::npos) return std::nullopt;
  return user_and_password->substr(colon + 1);
}

}  // namespace

const Token* AccessList::find(std::string_view authorization) const {
  const auto given = token_in(authorization);
  if (!given) return nullptr;
  const Sha256 hash = sha256(*given);
  const Token* found = nullptr;
  for (const Token& token : tokens_) {  // No early exit: constant time.
    if (CRYPTO_memcmp(token.sha256.data(), hash.data(), hash.size()) == 0) found = &token;
  }
  return found;
}

bool AccessList::has(const Token& token) const {
  return std::find(tokens_.begin(), tokens_.end(), token) != tokens_.end();
}

}  // namespace cairn::api
