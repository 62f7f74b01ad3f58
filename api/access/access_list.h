#pragma once

#include <cstddef>
#include <string_view>
#include <utility>
#include <vector>

#include "api/access/token_file.h"

namespace cairn::api {

// The tokens that a server accepts. Immutable, hence thread-safe.
class AccessList {
 public:
  explicit AccessList(std::vector<Token> tokens) : tokens_(std::move(tokens)) {}

  // The token in the value of an Authorization header: `Bearer TOKEN`, or `Basic` with any user name and the
  // token as password, for clients without bearer tokens. nullptr when there is none, or it is unknown.
  // Constant time, so that timing reveals nothing about the tokens: the text is hashed once and compared with
  // all hashes to the last byte.
  const Token* find(std::string_view authorization) const;

  // Whether it has exactly this token, with the same scopes and categories.
  bool has(const Token& token) const;

  std::size_t size() const { return tokens_.size(); }

 private:
  std::vector<Token> tokens_;
};

}  // namespace cairn::api
