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

// Sets what `config` names and leaves the rest; answers all that is set now.
RegistryResult<Decision<RegistryConfig>> decide_set_config(const RegistryState& state,
                                                           const SettingScope& scope,
                                                           const RegistryConfig& config);

// Answers what was set.
RegistryResult<Decision<RegistryConfig>> decide_delete_config(const RegistryState& state,
                                                              const SettingScope& scope);

// Import into what has live versions already needs force: ids may clash.
RegistryResult<Decision<RegistryMode>> decide_set_mode(const RegistryState& state, const SettingScope& scope,
                                                       RegistryMode mode, Force force);

// Answers the mode it was.
RegistryResult<Decision<RegistryMode>> decide_delete_mode(const RegistryState& state,
                                                          const SettingScope& scope);

}  // namespace cairn
