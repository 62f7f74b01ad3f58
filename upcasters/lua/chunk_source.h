#pragma once

#include <cstddef>
#include <string>
#include <string_view>

struct lua_State;

namespace cairn {

// The text of a script on its way into Lua's compiler. Private to the host.
class ChunkSource {
 public:
  // REQUIRES: fault_in(text) is empty; `text` outlives it.
  ChunkSource(std::string_view text, std::string name);

  // What keeps a text from being compiled at all, or "".
  static std::string fault_in(std::string_view text);

  const char* name() const { return name_.c_str(); }

  // A lua_Reader. Hands the text over in pieces, and takes steps for each: compiling runs no instructions
  // that could be counted, but takes its time where many names meet many nested functions.
  static const char* read(lua_State* state, void* source, std::size_t* size);

 private:
  std::string_view rest_;
  std::string name_;
};

}  // namespace cairn
