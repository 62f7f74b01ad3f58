#include "schemaregistry/registry/registry_settings.h"

#include <algorithm>
#include <array>
#include <utility>

namespace cairn {

namespace {

constexpr std::array<std::pair<RegistryMode, std::string_view>, 5> kModes = {{
    {RegistryMode::kReadWrite, "READWRITE"},
    {RegistryMode::kReadOnly, "READONLY"},
    {RegistryMode::kReadOnlyOverride, "READONLY_OVERRIDE"},
    {RegistryMode::kImport, "IMPORT"},
    {RegistryMode::kForward, "FORWARD"},
}};

bool same_letters(std::string_view upper, std::string_view any) {
  return std::equal(upper.begin(), upper.end(), any.begin(), any.end(), [](char a, char b) {
    return a == (b >= 'a' && b <= 'z' ? static_cast<char>(b - 'a' + 'A') : b);
  });
}

}  // namespace

std::string_view to_string(RegistryMode mode) {
  for (const auto& [known, name] : kModes) {
    if (known == mode) return name;
  }
  return "READWRITE";
}

std::optional<RegistryMode> parse_registry_mode(std::string_view name) {
  for (const auto& [mode, known] : kModes) {
    if (same_letters(known, name)) return mode;
  }
  return std::nullopt;
}

}  // namespace cairn
