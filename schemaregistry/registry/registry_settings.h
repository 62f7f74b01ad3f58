#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "schemaregistry/compatibility/compatibility_level.h"

namespace cairn {

// Which changes are permitted.
enum class RegistryMode : std::uint8_t {
  kReadWrite,         // everything
  kReadOnly,          // nothing
  kReadOnlyOverride,  // nothing, whatever the modes of the subjects are
  kImport,            // schemas are registered with given ids, and their compatibility is not checked
  kForward,           // the same
};

// "READWRITE", …
std::string_view to_string(RegistryMode mode);

// The mode of that name, case-insensitive.
std::optional<RegistryMode> parse_registry_mode(std::string_view name);

// Settings of one subject, or of all subjects that have none.
struct RegistryConfig {
  std::optional<CompatibilityLevel> compatibility;
  std::optional<bool> normalize;  // register and look up schemas in their normalised form

  friend bool operator==(const RegistryConfig&, const RegistryConfig&) = default;
};

inline constexpr CompatibilityLevel kDefaultCompatibility = CompatibilityLevel::kBackward;

}  // namespace cairn
