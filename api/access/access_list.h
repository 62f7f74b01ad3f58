#pragma once

#include <string_view>
#include <utility>
#include <vector>

#include "api/access/token_file.h"

namespace cairn::api {

// Those who may use the server. Does not change; any thread.
class AccessList {
 public:
  explicit AccessList(std::vector<Token> tokens) : tokens_(std::move(tokens)) {}

  // The token that the value of an Authorization header shows: `Bearer TOKEN`, or `Basic` with any user
  // name and the token as its password, for clients that know nothing else. nullptr when it shows none that
  // is known here. How long it takes tells nothing about the tokens: what came is hashed once and compared
  // with every one of them to the last byte.
  const Token* find(std::string_view authorization) const;

 private:
  std::vector<Token> tokens_;
};

}  // namespace cairn::api
