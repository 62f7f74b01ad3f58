#include "schemaregistry/registry/decide_settings.h"

#include <algorithm>

#include "schemaregistry/registry/decide_register.h"

namespace cairn {

namespace {

RegistryResult<void> check_scope(const SettingScope& scope) {
  return scope ? check_subject(*scope) : RegistryResult<void>();
}

RegistryResult<void> check_scope_writable(const RegistryState& state, const SettingScope& scope) {
  if (scope) return check_writable(state, *scope);
  const RegistryMode* mode = state.find_mode(std::nullopt);
  const bool read_only =
      mode != nullptr && (*mode == RegistryMode::kReadOnly || *mode == RegistryMode::kReadOnlyOverride);
  if (read_only) return not_permitted("The registry is in read-only mode");
  return {};
}

bool has_live(const RegistryState& state, const SettingScope& scope) {
  if (scope) {
    const SubjectVersions* versions = state.find_subject(*scope);
    return versions != nullptr && newest_live(*versions) != nullptr;
  }
  return std::any_of(state.subjects().begin(), state.subjects().end(),
                     [](const auto& subject) { return newest_live(subject.second) != nullptr; });
}

}  // namespace

RegistryResult<Decision<RegistryConfig>> decide_set_config(const RegistryState& state,
                                                           const SettingScope& scope,
                                                           const RegistryConfig& config) {
  CAIRN_CHECK(check_scope(scope));
  CAIRN_CHECK(check_scope_writable(state, scope));
  const RegistryConfig* before = state.find_config(scope);
  RegistryConfig after = before == nullptr ? RegistryConfig{} : *before;
  if (config.compatibility) after.compatibility = config.compatibility;
  if (config.normalize) after.normalize = config.normalize;
  if (before != nullptr && *before == after) return Decision<RegistryConfig>{after, {}};
  return Decision<RegistryConfig>{after, {ConfigSet{scope, after}}};
}

RegistryResult<Decision<RegistryConfig>> decide_delete_config(const RegistryState& state,
                                                              const SettingScope& scope) {
  const RegistryConfig* before = state.find_config(scope);
  if (before == nullptr && scope) return subject_not_found(*scope);
  if (before == nullptr) return Decision<RegistryConfig>{{kDefaultCompatibility, std::nullopt}, {}};
  CAIRN_CHECK(check_scope_writable(state, scope));
  return Decision<RegistryConfig>{*before, {ConfigDeleted{scope}}};
}

RegistryResult<Decision<RegistryMode>> decide_set_mode(const RegistryState& state, const SettingScope& scope,
                                                       RegistryMode mode, Force force) {
  CAIRN_CHECK(check_scope(scope));
  const RegistryMode* before = state.find_mode(scope);
  if (before != nullptr && *before == mode) return Decision<RegistryMode>{mode, {}};
  if (mode == RegistryMode::kImport && force == Force::kNo && has_live(state, scope)) {
    return not_permitted("Cannot import since found existing subjects");
  }
  return Decision<RegistryMode>{mode, {ModeSet{scope, mode}}};
}

RegistryResult<Decision<RegistryMode>> decide_delete_mode(const RegistryState& state,
                                                          const SettingScope& scope) {
  const RegistryMode* before = state.find_mode(scope);
  if (before == nullptr && scope) return subject_not_found(*scope);
  if (before == nullptr) return Decision<RegistryMode>{RegistryMode::kReadWrite, {}};
  return Decision<RegistryMode>{*before, {ModeDeleted{scope}}};
}

}  // namespace cairn
