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

// One who may use the server, as the token file has it. The token itself is written nowhere: from its hash it
// cannot be guessed, since it holds 256 random bits (new_token.h).
struct Token {
  std::string name;
  Sha256 sha256{};  // of the whole token text
  std::vector<Scope> scopes;
  std::optional<std::vector<std::string>> categories;  // nullopt = all

  bool may(Scope scope) const;

  // Whether streams of this category are within its reach.
  bool may_touch(std::string_view category) const;

  friend bool operator==(const Token&, const Token&) = default;
};

// "read", "append", "admin"
std::string_view to_string(Scope scope);
std::optional<Scope> parse_scope(std::string_view text);

// Whether a token may be called this: 1 to 100 bytes of printable UTF-8.
bool is_token_name(std::string_view name);

// Reads the text of a token file: one JSON object a line; empty lines and lines that begin with # are
// skipped. Who wrote a line meant every word of it, so an unknown field, a missing one, a bad hash, an
// unknown scope, or a name or hash that stands twice is kInvalidArgument, naming `file_name` and the line.
Result<std::vector<Token>> parse_tokens(std::string_view text, std::string_view file_name);

// The same for a file. kNotFound when there is none.
Result<std::vector<Token>> read_token_file(const std::filesystem::path& path);

// Whether others than the file's owner may read or change it. False when it cannot be looked at.
bool is_open_to_others(const std::filesystem::path& path);

// The line of a token file that parse_tokens() reads as `token`, without a line feed.
std::string token_line(const Token& token);

}  // namespace cairn::api
