#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace cairn {

// The path from the root to a nested value. A linked list on the C++ stack, so that it costs nothing until a
// message needs its text.
struct LuaPath {
  const LuaPath* up = nullptr;
  std::string_view name;
  std::size_t index = 0;
  bool is_index = false;
  std::size_t depth = 0;  // the number of enclosing tables

  LuaPath member(std::string_view its_name) const { return {this, its_name, 0, false, depth + 1}; }
  // A value under the name of its type (a union's tag) is no deeper: Avro does not encode the name.
  LuaPath tagged(std::string_view tag) const { return {this, tag, 0, false, depth}; }
  // Counted from 0, as in JSON pointers.
  LuaPath element(std::size_t its_index) const { return {this, {}, its_index, true, depth + 1}; }

  // The JSON pointer, in valid UTF-8 whatever the names are. Long names and long paths are cut.
  std::string text() const;
};

}  // namespace cairn
