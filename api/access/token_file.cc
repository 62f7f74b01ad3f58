#include "api/access/token_file.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "eventstore/base/file.h"
#include "eventstore/base/names.h"

namespace cairn::api {

namespace {

using nlohmann::json;

constexpr std::size_t kTokenNameBytesMax = 100;

constexpr std::pair<Scope, std::string_view> kScopeNames[] = {
    {Scope::kRead, "read"},       {Scope::kAppend, "append"}, {Scope::kAdmin, "admin"},
    {Scope::kConsume, "consume"}, {Scope::kLease, "lease"},   {Scope::kQuery, "query"}};

Error wrong(std::string message) { return make_error(Errc::kInvalidArgument, std::move(message)); }

std::string in_quotes(std::string_view text) {
  return json(text).dump(-1, ' ', false, json::error_handler_t::replace);
}

// The object in `line`. nlohmann keeps the last of two equal fields, which could hide a restriction, so the
// callback looks at each field.
Result<json> parse_object(std::string_view line) {
  std::vector<std::string> fields;
  bool twice = false;
  const auto check = [&](int depth, json::parse_event_t event, json& parsed) {
    if (depth == 1 && event == json::parse_event_t::key) {
      const auto& field = parsed.get_ref<const std::string&>();
      twice = twice || std::find(fields.begin(), fields.end(), field) != fields.end();
      fields.push_back(field);
    }
    return true;
  };
  json object = json::parse(line, check, false);
  if (!object.is_object()) return wrong("is not a JSON object");
  if (twice) return wrong("has a field twice");
  return object;
}

Result<Sha256> parse_hash(const json& value) {
  const auto digit = [](char c) -> int {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return -1;
  };
  Sha256 hash{};
  const std::string text = value.is_string() ? value.get<std::string>() : "";
  const bool all_hex = std::all_of(text.begin(), text.end(), [&](char c) { return digit(c) >= 0; });
  // The message does not quote the value, which may be the token itself by mistake.
  if (text.size() != 2 * hash.size() || !all_hex) return wrong("sha256 must be 64 hexadecimal digits");
  for (std::size_t i = 0; i < hash.size(); ++i) {
    hash[i] = static_cast<std::uint8_t>(digit(text[2 * i]) * 16 + digit(text[2 * i + 1]));
  }
  return hash;
}

std::string listed_scopes() { return fmt::format("{}", fmt::join(scope_names(), ", ")); }

Result<std::vector<Scope>> parse_scopes(const json& value) {
  if (!value.is_array() || value.empty()) {
    return wrong("scopes must be a list of at least one of " + listed_scopes());
  }
  std::vector<Scope> scopes;
  for (const json& item : value) {
    const auto scope = item.is_string() ? parse_scope(item.get<std::string>()) : std::nullopt;
    if (!scope) return wrong("unknown scope " + item.dump() + "; there are " + listed_scopes());
    if (std::find(scopes.begin(), scopes.end(), *scope) == scopes.end()) scopes.push_back(*scope);
  }
  return scopes;
}

Result<std::vector<std::string>> parse_categories(const json& value) {
  if (!value.is_array() || value.empty()) {
    return wrong("categories must be a list of at least one; leave the field out for all");
  }
  std::vector<std::string> categories;
  for (const json& item : value) {
    if (!item.is_string() || item.get_ref<const std::string&>().empty()) {
      return wrong("a category must be a non-empty string");
    }
    categories.push_back(item.get<std::string>());
  }
  return categories;
}

Result<Token> parse_line(std::string_view line) {
  CAIRN_TRY(const json object, parse_object(line));
  for (const auto& [field, value] : object.items()) {
    if (field != "name" && field != "sha256" && field != "scopes" && field != "categories") {
      return wrong("unknown field " + in_quotes(field));
    }
  }
  for (const char* field : {"name", "sha256", "scopes"}) {
    if (!object.contains(field)) return wrong("field \"" + std::string(field) + "\" is missing");
  }
  Token token;
  const json& name = object["name"];
  if (!name.is_string() || !is_token_name(name.get_ref<const std::string&>())) {
    return wrong("name must be 1 to 100 bytes of printable text");
  }
  token.name = name.get<std::string>();
  CAIRN_TRY(token.sha256, parse_hash(object["sha256"]));
  CAIRN_TRY(token.scopes, parse_scopes(object["scopes"]));
  if (object.contains("categories")) {
    CAIRN_TRY(token.categories, parse_categories(object["categories"]));
  }
  return token;
}

// Fails when an earlier token has the same name or hash.
Status check_unique(const std::vector<Token>& tokens, const Token& token) {
  for (const Token& other : tokens) {
    if (other.name == token.name) return wrong("the name " + in_quotes(token.name) + " occurs twice");
    if (other.sha256 == token.sha256) return wrong("has the same hash as " + in_quotes(other.name));
  }
  return {};
}

}  // namespace

bool Token::may(Scope scope) const { return std::find(scopes.begin(), scopes.end(), scope) != scopes.end(); }

bool Token::may_touch(std::string_view category) const {
  return !categories || std::find(categories->begin(), categories->end(), category) != categories->end();
}

std::string_view to_string(Scope scope) {
  for (const auto& [known, name] : kScopeNames) {
    if (known == scope) return name;
  }
  return "unknown";
}

std::vector<std::string> scope_names() {
  std::vector<std::string> names;
  for (const auto& [known, name] : kScopeNames) names.emplace_back(name);
  return names;
}

std::optional<Scope> parse_scope(std::string_view text) {
  for (const auto& [scope, name] : kScopeNames) {
    if (name == text) return scope;
  }
  return std::nullopt;
}

bool is_token_name(std::string_view name) {
  return !name.empty() && name.size() <= kTokenNameBytesMax && is_printable_name(name);
}

Result<std::vector<Token>> parse_tokens(std::string_view text, std::string_view file_name) {
  std::vector<Token> tokens;
  for (std::size_t number = 1; !text.empty(); ++number) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (line.empty() || line.starts_with('#')) continue;

    const auto refused = [&](const Error& error) {
      return wrong(fmt::format("{}:{}: {}", file_name, number, error.message));
    };
    auto token = parse_line(line);
    if (!token) return refused(token.error());
    if (const Status unique = check_unique(tokens, *token); !unique) return refused(unique.error());
    tokens.push_back(*std::move(token));
  }
  return tokens;
}

Result<std::vector<Token>> read_token_file(const std::filesystem::path& path) {
  CAIRN_TRY(const std::string text, read_file(path));
  return parse_tokens(text, path.string());
}

bool is_open_to_others(const std::filesystem::path& path) {
  struct stat facts {};
  return ::stat(path.c_str(), &facts) == 0 && (facts.st_mode & (S_IRWXG | S_IRWXO)) != 0;
}

std::string token_line(const Token& token) {
  nlohmann::ordered_json line;
  line["name"] = token.name;
  line["sha256"] = to_hex(token.sha256);
  line["scopes"] = nlohmann::ordered_json::array();
  for (const Scope scope : token.scopes) line["scopes"].push_back(to_string(scope));
  if (token.categories) line["categories"] = *token.categories;
  return line.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

}  // namespace cairn::api
