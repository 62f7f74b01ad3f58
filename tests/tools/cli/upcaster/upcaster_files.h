#pragma once

#include <string>

namespace cairn::test {

// An upcaster of a type from one version to the next, with this body: "data.total = 1".
inline std::string upcaster(const std::string& type, int from, const std::string& body) {
  return "return upcaster {\n  type = \"" + type + "\", from = " + std::to_string(from) +
         ", to = " + std::to_string(from + 1) + ",\n  upcast = function(data, event)\n    " + body +
         "\n    return data\n  end\n}\n";
}

// One that leaves nothing to run: its third line is no Lua.
inline constexpr char kNoLua[] =
    "return upcaster {\n  type = \"Order\", from = 1, to = 2,\n  upcast = function(\n}\n";

}  // namespace cairn::test
