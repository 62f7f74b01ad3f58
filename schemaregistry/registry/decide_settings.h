#pragma once

#include <optional>
#include <string>

#include "schemaregistry/registry/decision.h"
#include "schemaregistry/registry/registry_error.h"
#include "schemaregistry/registry/registry_state.h"

namespace cairn {

enum class Force : bool { kNo, kYes };

// nullopt for all subjects that have no settings of their own. A subject need not exist.
using SettingScope = std::optional<std::string>;

// Sets the members that `config` has and leaves the others; answers the resulting settings.
RegistryResult<Decision<RegistryConfig>> decide_set_config(const RegistryState& state,
                                                           const SettingScope& scope,
                                                           const RegistryConfig& config);

// Answers the settings that were deleted.
RegistryResult<Decision<RegistryConfig>> decide_delete_config(const RegistryState& state,
                                                              const SettingScope& scope);

// Import mode needs `force` if there are live versions: ids may collide.
RegistryResult<Decision<RegistryMode>> decide_set_mode(const RegistryState& state, const SettingScope& scope,
                                                       RegistryMode mode, Force force);

// Answers the mode that was deleted.
RegistryResult<Decision<RegistryMode>> decide_delete_mode(const RegistryState& state,
                                                          const SettingScope& scope);

}  // namespace cairn
