#include "upcasters/values/lua_path.h"

#include <vector>

#include "upcasters/lua/shown_text.h"

namespace cairn {

namespace {

// The limits of a path in a message; names can have any length.
constexpr std::size_t kNameBytesMax = 100;
constexpr std::size_t kPathBytesMax = 1'000;

void append_part(std::string& to, std::string_view name) {
  for (const char c : shown_text(name, kNameBytesMax)) {
    if (c == '~') {
      to += "~0";
    } else if (c == '/') {
      to += "~1";
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
  return shown_text(text, kPathBytesMax);
}

}  // namespace cairn
