#pragma once

#include <cstdlib>
#include <string>

namespace cairn::test {

// Debian's interpreter, which has its python3-… packages; another one may come before it in PATH.
inline constexpr char kDebianPython[] = "/usr/bin/python3";

inline bool debian_python_has(const std::string& module) {
  return std::system((kDebianPython + std::string(" -c 'import ") + module + "' 2>/dev/null").c_str()) == 0;
}

}  // namespace cairn::test
