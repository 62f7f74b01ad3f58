#include "tools/cli/schema/github_annotation.h"

namespace cairn::cli {

namespace {

// GitHub decodes these escapes and no others. A property ends at a comma or colon, so these are escaped
// there.
std::string escaped(std::string_view text, bool in_property) {
  std::string result;
  for (const char c : text) {
    if (c == '%') {
      result += "%25";
    } else if (c == '\r') {
      result += "%0D";
    } else if (c == '\n') {
      result += "%0A";
    } else if (in_property && c == ':') {
      result += "%3A";
    } else if (in_property && c == ',') {
      result += "%2C";
    } else {
      result += c;
    }
  }
  return result;
}

}  // namespace

std::string github_annotation(std::string_view command,
                              const std::vector<std::pair<std::string, std::string>>& properties,
                              std::string_view message) {
  std::string line = "::" + std::string(command);
  char separator = ' ';
  for (const auto& [name, value] : properties) {
    line += separator + name + "=" + escaped(value, true);
    separator = ',';
  }
  return line + "::" + escaped(message, false) + "\n";
}

}  // namespace cairn::cli
