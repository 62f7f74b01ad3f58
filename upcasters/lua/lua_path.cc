#include "upcasters/lua/lua_path.h"

#include <vector>

#include "eventstore/base/names.h"

namespace cairn {

namespace {

void append_part(std::string& to, std::string_view name) {
  const bool is_text = is_utf8(name);
  for (const char c : name) {
    if (c == '~') {
      to += "~0";
    } else if (c == '/') {
      to += "~1";
    } else if (!is_text && static_cast<unsigned char>(c) >= 0x80) {
      to += "\uFFFD";
    } else {
      to += c;
    }
  }
}

}  // namespace

std::string LuaPath::text() const {
  std::vector<const LuaPath*> parts;
  for (const LuaPath* at = this; at->up != nullptr; at = at->up) parts.push_back(at);
  std::string text;
  for (auto part = parts.rbegin(); part != parts.rend(); ++part) {
    text += '/';
    if ((*part)->is_index) {
      text += std::to_string((*part)->index);
    } else {
      append_part(text, (*part)->name);
    }
  }
  return text;
}

}  // namespace cairn
