#include "schemaregistry/registry/registry_queries.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>
#include <utility>

#include "schemaregistry/model/parse_schema.h"
#include "schemaregistry/model/schema_text.h"

namespace cairn {

namespace {

FoundVersion found(const std::string& subject, const SubjectVersion& version) {
  return {subject, version.version, version.deleted, version.schema};
}

bool is_shown(bool deleted, Shown shown) {
  return shown == Shown::kAll || deleted == (shown == Shown::kDeletedOnly);
}

bool is_seen(const SubjectVersion& version, Deleted hidden) {
  return !version.deleted || hidden == Deleted::kIncluded;
}

bool is_any_seen(const SubjectVersions* versions, Deleted hidden) {
  return versions != nullptr && (hidden == Deleted::kIncluded || newest_live(*versions) != nullptr);
}

// All versions for which `wanted` holds, by subject and version.
template <typename Wanted>
std::vector<FoundVersion> collect(const RegistryState& state, Deleted hidden, Wanted wanted) {
  std::vector<FoundVersion> all;
  for (const auto& [subject, versions] : state.subjects()) {
    for (const SubjectVersion& version : versions) {
      if (is_seen(version, hidden) && wanted(subject, version)) all.push_back(found(subject, version));
    }
  }
  std::sort(all.begin(), all.end(), [](const FoundVersion& a, const FoundVersion& b) {
    return std::tie(a.subject, a.version) < std::tie(b.subject, b.version);
  });
  return all;
}

// Whether a version has the schema that a client looks up; fails when the budget has ended. The client may have
// written out types that the version only refers to; and a version may have been registered before normalised
// texts were requested.
Result<bool> has_schema(const StoredSchema& stored, const Candidate& candidate, Normalize normalize,
                        WorkBudget* budget) {
  // Texts of different lengths are told apart at once.
  const std::size_t bytes = stored.text.size() == candidate.text.size() ? stored.text.size() : 0;
  if (budget != nullptr && !budget->charge(1 + bytes / kSchemaBytesPerStep)) return budget->error("");
  const bool same_references = stored.references == candidate.references;
  if (same_references && stored.text == candidate.text) return true;
  if (same_references ? normalize == Normalize::kNo : !candidate.references.empty()) return false;
  const auto text = print_schema(stored.schema,
                                 same_references ? SchemaForm::kNormalized : SchemaForm::kWrittenOut, budget);
  // The candidate's text is not as large as that.
  if (!text && text.error().code == Errc::kTooLarge) return false;
  if (!text) return text.error();
  return *text == candidate.text;
}

Normalize effective(const RegistryState& state, const std::string& subject, Normalize asked) {
  return state.normalize_of(subject) ? Normalize::kYes : asked;
}

}  // namespace

std::vector<std::string> list_subjects(const RegistryState& state, std::string_view prefix, Shown shown) {
  std::vector<std::string> subjects;
  for (const auto& [subject, versions] : state.subjects()) {
    if (subject.starts_with(prefix) && is_shown(newest_live(versions) == nullptr, shown))
      subjects.push_back(subject);
  }
  std::sort(subjects.begin(), subjects.end());
  return subjects;
}

RegistryResult<std::vector<FoundVersion>> list_versions(const RegistryState& state,
                                                        const std::string& subject, Shown shown) {
  std::vector<FoundVersion> all;
  if (const SubjectVersions* versions = state.find_subject(subject)) {
    for (const SubjectVersion& version : *versions) {
      if (is_shown(version.deleted, shown)) all.push_back(found(subject, version));
    }
  }
  if (all.empty()) return subject_not_found(subject);
  return all;
}

RegistryResult<FoundVersion> find_version(const RegistryState& state, const std::string& subject,
                                          std::optional<std::uint32_t> version, Deleted hidden) {
  const SubjectVersions* versions = state.find_subject(subject);
  if (!is_any_seen(versions, hidden)) return subject_not_found(subject);
  const SubjectVersion* one = version ? find_version(*versions, *version) : newest_live(*versions);
  if (!version && one == nullptr) one = &versions->back();
  if (one == nullptr || !is_seen(*one, hidden)) return version_not_found(std::to_string(*version));
  return found(subject, *one);
}

RegistryResult<std::shared_ptr<const StoredSchema>> find_schema(const RegistryState& state, SchemaId id) {
  if (!state.is_used(id)) return schema_not_found(std::to_string(id.value));
  return state.find_id(id);
}

RegistryResult<std::vector<FoundVersion>> versions_with(const RegistryState& state, SchemaId id,
                                                        Deleted hidden) {
  if (!state.is_used(id)) return schema_not_found(std::to_string(id.value));
  return collect(state, hidden, [id](const std::string&, const SubjectVersion& version) {
    return version.schema->id == id;
  });
}

std::vector<FoundVersion> list_schemas(const RegistryState& state, std::string_view prefix, Deleted hidden,
                                       LatestOnly latest) {
  auto all = collect(state, hidden, [prefix](const std::string& subject, const SubjectVersion&) {
    return subject.starts_with(prefix);
  });
  if (latest == LatestOnly::kNo) return all;
  std::vector<FoundVersion> newest;
  for (FoundVersion& one : all) {
    if (!newest.empty() && newest.back().subject == one.subject) newest.pop_back();
    newest.push_back(std::move(one));
  }
  return newest;
}

std::vector<FoundVersion> referring_to(const RegistryState& state, const std::string& subject,
                                       std::uint32_t version, Deleted hidden) {
  return collect(state, hidden, [&](const std::string&, const SubjectVersion& one) {
    const auto& references = one.schema->references;
    return std::any_of(references.begin(), references.end(), [&](const SchemaReference& reference) {
      return reference.version == version && reference.subject == subject;
    });
  });
}

RegistryResult<FoundVersion> look_up(const RegistryState& state, const std::string& subject,
                                     const SchemaInput& schema, Normalize normalize, Deleted hidden,
                                     WorkBudget* budget) {
  const SubjectVersions* versions = state.find_subject(subject);
  if (!is_any_seen(versions, hidden)) return subject_not_found(subject);
  normalize = effective(state, subject, normalize);
  CAIRN_TRY(const Candidate candidate, read_candidate(state, schema, normalize, Deleted::kIncluded, budget));
  std::size_t compared = 0;
  for (auto version = versions->rbegin(); version != versions->rend(); ++version, ++compared) {
    if (!is_seen(*version, hidden)) continue;
    const auto same = has_schema(*version->schema, candidate, normalize, budget);
    if (!same) {
      return budget->error(
          fmt::format("the schema was compared with {} of {} versions", compared, versions->size()));
    }
    if (*same) return found(subject, *version);
  }
  return schema_not_found();
}

RegistryResult<std::vector<std::string>> test_compatibility(const RegistryState& state,
                                                            const std::string& subject,
                                                            const SchemaInput& schema, Normalize normalize,
                                                            WorkBudget* budget) {
  CAIRN_TRY(const Candidate candidate,
            read_candidate(state, schema, effective(state, subject, normalize), Deleted::kLeftOut, budget));
  return check_compatibility(state, subject, candidate, budget);
}

RegistryResult<std::vector<std::string>> test_compatibility_with(const RegistryState& state,
                                                                 const std::string& subject,
                                                                 std::optional<std::uint32_t> version,
                                                                 const SchemaInput& schema,
                                                                 Normalize normalize, WorkBudget* budget) {
  const SubjectVersions* versions = state.find_subject(subject);
  const SubjectVersion* old = nullptr;
  if (versions != nullptr) old = version ? find_version(*versions, *version) : newest_live(*versions);
  if (version && (old == nullptr || old->deleted)) return version_not_found(std::to_string(*version));
  CAIRN_TRY(const Candidate candidate,
            read_candidate(state, schema, effective(state, subject, normalize), Deleted::kLeftOut, budget));
  if (old == nullptr) return std::vector<std::string>();
  const LiveVersion live{static_cast<int>(old->version), &old->schema->schema, old->schema->text};
  return check_candidate(state.compatibility_of(subject), candidate, {&live, 1}, budget);
}

RegistryResult<RegistryConfig> get_config(const RegistryState& state, const SettingScope& scope,
                                          Fallback fallback) {
  const RegistryConfig* own = state.find_config(scope);
  if (scope && own == nullptr && fallback == Fallback::kNone) return config_not_found(*scope);
  RegistryConfig config = own == nullptr ? RegistryConfig{} : *own;
  if (scope && fallback == Fallback::kNone) return config;
  const RegistryConfig* everywhere = state.find_config(std::nullopt);
  if (everywhere != nullptr && !config.compatibility) config.compatibility = everywhere->compatibility;
  if (everywhere != nullptr && !config.normalize) config.normalize = everywhere->normalize;
  if (!config.compatibility) config.compatibility = kDefaultCompatibility;
  return config;
}

RegistryResult<RegistryMode> get_mode(const RegistryState& state, const SettingScope& scope,
                                      Fallback fallback) {
  const RegistryMode* own = state.find_mode(scope);
  if (own != nullptr) return *own;
  if (scope && fallback == Fallback::kNone) return mode_not_found(*scope);
  const RegistryMode* everywhere = state.find_mode(std::nullopt);
  return everywhere == nullptr ? RegistryMode::kReadWrite : *everywhere;
}

}  // namespace cairn
