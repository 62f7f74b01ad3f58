#include "schemaregistry/registry/decide_register.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "eventstore/base/names.h"
#include "schemaregistry/registry/registry_queries.h"

namespace cairn {

namespace {

constexpr std::size_t kSubjectBytesMax = 1'000;
constexpr std::uint32_t kNumberMax =
    std::numeric_limits<std::int32_t>::max();  // clients have 32 bits, signed

bool is_import(RegistryMode mode) { return mode == RegistryMode::kImport || mode == RegistryMode::kForward; }

RegistryResult<void> check_mode(const RegistryState& state, const Registration& wanted) {
  CAIRN_CHECK(check_writable(state, wanted.subject));
  const bool import = is_import(state.mode_of(wanted.subject));
  if (!import && (wanted.id || wanted.version)) {
    return not_permitted("Subject " + wanted.subject + " is not in import mode");
  }
  if (import && !wanted.id) return not_permitted("Subject " + wanted.subject + " is not in read-write mode");
  return {};
}

// The live version of a subject that has this schema, or nullptr.
const SubjectVersion* find_live(const SubjectVersions* versions, const Candidate& candidate) {
  if (versions == nullptr) return nullptr;
  for (const SubjectVersion& version : *versions) {
    if (!version.deleted && version.schema->text == candidate.text &&
        version.schema->references == candidate.references) {
      return &version;
    }
  }
  return nullptr;
}

bool is_same(const StoredSchema& known, const Candidate& candidate) {
  return known.text == candidate.text && known.references == candidate.references &&
         known.referenced == candidate.referenced;
}

// The id of the schema: the one it has already, the requested one, or a new one.
RegistryResult<SchemaId> choose_id(const RegistryState& state, const Registration& wanted,
                                   const Candidate& candidate) {
  const auto same = state.find_same(candidate.text, candidate.references);
  if (wanted.id) {
    if (same != nullptr && same->id != *wanted.id) return id_does_not_match(same->id, *wanted.id);
    const auto known = state.find_id(*wanted.id);
    if (known != nullptr && !is_same(*known, candidate)) {
      return not_permitted("Overwrite new schema with id " + std::to_string(wanted.id->value) +
                           " is not permitted.");
    }
    return *wanted.id;
  }
  if (same != nullptr) return same->id;
  if (state.id_max().value >= kNumberMax) return not_permitted("There are no ids left.");
  return SchemaId{state.id_max().value + 1};
}

// The version that the schema had, if it was lost and is not registered again; nullptr otherwise.
const LostVersion* find_lost(const RegistryState& state, const Registration& wanted,
                             const Candidate& candidate) {
  const SubjectVersions* versions = state.find_subject(wanted.subject);
  for (const LostVersion& lost : wanted.lost) {
    const auto known = state.find_id(lost.id);
    if (known == nullptr || !is_same(*known, candidate)) continue;
    const bool is_back = versions != nullptr &&
                         std::any_of(versions->begin(), versions->end(), [&](const SubjectVersion& version) {
                           return version.schema->id == lost.id;
                         });
    if (!is_back) return &lost;
  }
  return nullptr;
}

// An empty text stands for the latest version of the subject.
RegistryResult<Decision<SchemaId>> register_latest(const SubjectVersions* versions) {
  const SubjectVersion* latest = versions == nullptr ? nullptr : newest_live(*versions);
  if (latest == nullptr) return invalid_schema("it is empty");
  return Decision<SchemaId>{latest->schema->id, {}};
}

std::string joined(const std::vector<std::string>& messages) {
  std::string all;
  for (const std::string& message : messages) all += (all.empty() ? "" : ", ") + message;
  return all;
}

}  // namespace

RegistryResult<void> check_subject(std::string_view subject) {
  const bool reserved = subject == "__GLOBAL" || subject == "__EMPTY";
  const bool good = !subject.empty() && subject.size() <= kSubjectBytesMax && is_printable_name(subject);
  if (good && !reserved) return {};
  return invalid_subject(subject);
}

RegistryResult<void> check_writable(const RegistryState& state, const std::string& subject) {
  const RegistryMode mode = state.mode_of(subject);
  if (mode != RegistryMode::kReadOnly && mode != RegistryMode::kReadOnlyOverride) return {};
  return not_permitted("Subject " + subject + " is in read-only mode");
}

RegistryResult<Decision<SchemaId>> decide_register(const RegistryState& state, const Registration& wanted,
                                                   WorkBudget* budget) {
  CAIRN_CHECK(check_subject(wanted.subject));
  CAIRN_CHECK(check_mode(state, wanted));
  const SubjectVersions* versions = state.find_subject(wanted.subject);
  if (wanted.schema.text.empty()) return register_latest(versions);

  const Normalize normalize = state.normalize_of(wanted.subject) ? Normalize::kYes : wanted.normalize;
  CAIRN_TRY(Candidate candidate, read_candidate(state, wanted.schema, normalize, Deleted::kLeftOut, budget));
  const SubjectVersion* live = find_live(versions, candidate);
  if (live != nullptr && (!wanted.id || live->schema->id == *wanted.id)) {
    return Decision<SchemaId>{live->schema->id, {}};
  }

  if (wanted.check == CheckCompatibility::kYes && !is_import(state.mode_of(wanted.subject))) {
    CAIRN_TRY(const auto messages, check_compatibility(state, wanted.subject, candidate, budget));
    if (!messages.empty()) return incompatible_schema(wanted.subject, joined(messages));
  }
  const LostVersion* lost = wanted.id ? nullptr : find_lost(state, wanted, candidate);
  const bool gets_number_back =
      lost != nullptr && (versions == nullptr || find_version(*versions, lost->version) == nullptr);
  const std::uint32_t version = gets_number_back      ? lost->version
                                : versions == nullptr ? 1
                                                      : versions->back().version + 1;
  if (version > kNumberMax) return not_permitted("There are no version numbers left.");
  if (wanted.version && *wanted.version != version) {
    return invalid_schema(
        fmt::format("version {} is not one more than the previous version {}", *wanted.version, version - 1));
  }
  CAIRN_TRY(const SchemaId id,
            lost != nullptr ? RegistryResult<SchemaId>(lost->id) : choose_id(state, wanted, candidate));
  CAIRN_CHECK(check_storable(candidate, normalize, budget));

  Decision<SchemaId> decision{id, {}};
  decision.events.emplace_back(SchemaRegistered{wanted.subject, version, id, std::move(candidate.text),
                                                std::move(candidate.references)});
  // Soft-deleted versions with the same schema are removed: the new version replaces them.
  if (versions != nullptr) {
    for (const SubjectVersion& old : *versions) {
      if (!old.deleted || old.schema->id != id) continue;
      if (!referring_to(state, wanted.subject, old.version, Deleted::kIncluded).empty()) continue;
      decision.events.emplace_back(VersionPermanentlyDeleted{wanted.subject, old.version});
    }
  }
  return decision;
}

}  // namespace cairn
