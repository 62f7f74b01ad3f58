#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "schemaregistry/compatibility/compatibility_level.h"

namespace cairn {

// What may be written.
enum class RegistryMode : std::uint8_t {
  kReadWrite,         // everything
  kReadOnly,          // nothing
  kReadOnlyOverride,  // nothing, whatever the subjects' own modes are
  kImport,            // schemas come with the ids they have elsewhere, and are not checked for compatibility
  kForward,           // the same
};

// "READWRITE", …
std::string_view to_string(RegistryMode mode);

// The mode of that name, in any case of letters.
std::optional<RegistryMode> parse_registry_mode(std::string_view name);

// How schemas are taken: by one subject, or by all that say nothing themselves.
struct RegistryConfig {
  std::optional<CompatibilityLevel> compatibility;
  std::optional<bool> normalize;  // schemas are registered and looked up in their normalised form

  friend bool operator==(const RegistryConfig&, const RegistryConfig&) = default;
};

inline constexpr CompatibilityLevel kDefaultCompatibility = CompatibilityLevel::kBackward;

}  // namespace cairn
