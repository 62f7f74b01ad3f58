#include "upcasters/lua/chunk_source.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "eventstore/base/names.h"
#include "upcasters/lua/lua_account.h"

namespace cairn {

namespace {

constexpr std::size_t kSourceBytesMax = 1u << 20;
constexpr std::size_t kPieceBytes = 1'024;
constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";

bool belongs_to_name(char c) {
  return c == '_' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

bool has_name(std::string_view text, std::string_view name) {
  for (std::size_t at = text.find(name); at != std::string_view::npos; at = text.find(name, at + 1)) {
    const std::size_t end = at + name.size();
    const bool begins = at == 0 || !belongs_to_name(text[at - 1]);
    if (begins && (end == text.size() || !belongs_to_name(text[end]))) return true;
  }
  return false;
}

// A line break is never inside a UTF-8 character, so each line can be checked by itself.
std::size_t line_not_utf8(std::string_view text) {
  std::size_t line = 1;
  while (true) {
    const std::size_t end = text.find('\n');
    if (end == std::string_view::npos || !is_utf8(text.substr(0, end))) return line;
    text.remove_prefix(end + 1);
    ++line;
  }
}

}  // namespace

ChunkSource::ChunkSource(std::string_view text, std::string name) : rest_(text), name_(std::move(name)) {
  if (rest_.starts_with(kByteOrderMark)) rest_.remove_prefix(kByteOrderMark.size());
}

std::string ChunkSource::fault_in(std::string_view text) {
  if (text.starts_with("\x1bLua")) return "the script is compiled Lua: only text is taken";
  if (text.size() > kSourceBytesMax) {
    return fmt::format("the script has {} bytes: at most {} are taken", text.size(), kSourceBytesMax);
  }
  if (text.find('\0') != std::string_view::npos) return "the script has a byte 0, so it is no text";
  if (!is_utf8(text)) return "the script is not UTF-8, at line " + std::to_string(line_not_utf8(text));
  // Lua 5.4.4 miscompiles a constant of this name; scripts can use _G instead.
  if (has_name(text, "_ENV"))
    return "'_ENV' is not there for scripts: use local variables, or _G to read globals";
  return "";
}

const char* ChunkSource::read(lua_State* state, void* source, std::size_t* size) {
  std::string_view& rest = static_cast<ChunkSource*>(source)->rest_;
  *size = std::min(rest.size(), kPieceBytes);
  LuaAccount::of(state).charge(*size);
  const char* const piece = rest.data();
  rest.remove_prefix(*size);
  return *size == 0 ? nullptr : piece;
}

}  // namespace cairn
