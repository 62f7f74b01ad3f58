#include "schemaregistry/model/schema_name.h"

namespace cairn {

namespace {

constexpr bool begins_name(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
constexpr bool continues_name(char c) { return begins_name(c) || (c >= '0' && c <= '9'); }

}  // namespace

bool is_schema_name(std::string_view text) {
  if (text.empty() || !begins_name(text.front())) return false;
  for (const char c : text) {
    if (!continues_name(c)) return false;
  }
  return true;
}

bool is_dotted_schema_name(std::string_view text) {
  while (true) {
    const std::size_t dot = text.find('.');
    if (!is_schema_name(text.substr(0, dot))) return false;
    if (dot == std::string_view::npos) return true;
    text.remove_prefix(dot + 1);
  }
}

TypeName split_name(std::string_view text, std::string_view space) {
  const std::size_t dot = text.rfind('.');
  if (dot == std::string_view::npos) return {std::string(space), std::string(text)};
  return {std::string(text.substr(0, dot)), std::string(text.substr(dot + 1))};
}

}  // namespace cairn
