#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/access/scope.h"
#include "eventstore/base/checksum.h"
#include "eventstore/base/result.h"

namespace cairn::api {

// One entry of the token file. It has the hash of the token, not the token, which cannot be guessed from its
// hash because it has 256 random bits (new_token.h).
struct Token {
  std::string name;
  Sha256 sha256{};  // of the whole token text
  std::vector<Scope> scopes;
  std::optional<std::vector<std::string>> categories;  // nullopt = all

  bool may(Scope scope) const;

  // Whether the token may read and append to streams of this category.
  bool may_touch(std::string_view category) const;

  friend bool operator==(const Token&, const Token&) = default;
};

// "read", "append", …
std::vector<std::string> scope_names();
std::string_view to_string(Scope scope);
std::optional<Scope> parse_scope(std::string_view text);

// Whether it is a valid name of a token: 1 to 100 bytes of printable UTF-8.
bool is_token_name(std::string_view name);

// Parses a token file: one JSON object a line; empty lines and lines that begin with # are skipped. Strict,
// because a restriction that is misspelt must not be ignored: an unknown or missing field, a bad hash, an
// unknown scope, or a name or hash that occurs twice is kInvalidArgument, with `file_name` and the line in
// the message.
Result<std::vector<Token>> parse_tokens(std::string_view text, std::string_view file_name);

// The same for a file. kNotFound when there is none.
Result<std::vector<Token>> read_token_file(const std::filesystem::path& path);

// Whether users other than its owner may read or change the file. False when stat() fails.
bool is_open_to_others(const std::filesystem::path& path);

// The line of a token file for `token`, without a line feed; parse_tokens() is the inverse.
std::string token_line(const Token& token);

}  // namespace cairn::api
