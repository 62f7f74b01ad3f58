#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "eventstore/base/result.h"

namespace cairn::cli {

inline constexpr std::size_t kConfigFileBytesMax = 1024 * 1024;

enum class TomlType { kBoolean, kNumber, kString, kArray, kOther };

// A key of a configuration file, with its value as the command line would have it.
struct FileEntry {
  std::string key;
  unsigned line = 0;
  TomlType type = TomlType::kOther;
  std::string type_text;            // for messages: "a boolean"
  std::vector<std::string> values;  // those of an array, or one; empty for kOther
};

// The keys at the top of a TOML file, by line. An array with anything but strings and numbers is kOther.
// kInvalidArgument when it is not TOML, with "FILE:LINE:COLUMN: " in the message, or too large.
Result<std::vector<FileEntry>> read_config_file(const std::filesystem::path& file);

}  // namespace cairn::cli
