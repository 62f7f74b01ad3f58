#pragma once

#include <cstddef>
#include <string>
#include <string_view>

struct lua_State;

namespace cairn {

// Feeds the text of a script to Lua's compiler. Private to the host.
class ChunkSource {
 public:
  // REQUIRES: fault_in(text) is empty; `text` outlives it.
  ChunkSource(std::string_view text, std::string name);

  // Why a text is refused without being compiled, or "".
  static std::string fault_in(std::string_view text);

  const char* name() const { return name_.c_str(); }

  // A lua_Reader. Returns the text in pieces and charges steps for each: compiling runs no instructions that
  // could be counted, but takes long for many names in many nested functions.
  static const char* read(lua_State* state, void* source, std::size_t* size);

 private:
  std::string_view rest_;
  std::string name_;
};

}  // namespace cairn
