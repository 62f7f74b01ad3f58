#pragma once

#include <string>

namespace cairn::cli {

// For CLI::Validator: what is wrong with the name of a folder, or "".
inline std::string check_folder_name(const std::string& name) {
  if (name.empty()) return "is empty";
  return name.find('\0') == std::string::npos ? "" : "has a zero byte";
}

}  // namespace cairn::cli
