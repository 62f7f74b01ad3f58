#include "tools/cli/server/version_argument.h"

#include <charconv>

namespace cairn::cli {

std::string check_version_argument(const std::string& text) {
  if (text == "latest") return "";
  int version = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), version);
  const bool good = error == std::errc() && end == text.data() + text.size() && version > 0;
  return good ? "" : "must be a version, a number from 1, or 'latest'";
}

}  // namespace cairn::cli
