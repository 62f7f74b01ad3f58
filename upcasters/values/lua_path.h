#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace cairn {

// The way from the top to a value inside others. Lives on the C++ stack, and costs nothing until somebody
// wants to read it.
struct LuaPath {
  const LuaPath* up = nullptr;
  std::string_view name;
  std::size_t index = 0;
  bool is_index = false;
  std::size_t depth = 0;  // how many tables are around

  LuaPath member(std::string_view its_name) const { return {this, its_name, 0, false, depth + 1}; }
  // The value under a type's name is no deeper than without it: Avro's bytes do not have the name.
  LuaPath tagged(std::string_view tag) const { return {this, tag, 0, false, depth}; }
  // Counted from 0, as JSON pointers do.
  LuaPath element(std::size_t its_index) const { return {this, {}, its_index, true, depth + 1}; }

  // As a JSON pointer, in UTF-8 whatever the names are. Long names, and what is deep inside, are cut.
  std::string text() const;
};

}  // namespace cairn
