#include "schemaregistry/registry/decide_delete.h"

#include <algorithm>

#include "schemaregistry/registry/decide_register.h"
#include "schemaregistry/registry/registry_queries.h"

namespace cairn {

namespace {

// A reference of a soft-deleted schema only prevents the permanent deletion of its target: the schema can
// still be read.
Deleted who_counts(Permanent permanent) {
  return permanent == Permanent::kYes ? Deleted::kIncluded : Deleted::kLeftOut;
}

}  // namespace

RegistryResult<Decision<std::uint32_t>> decide_delete_version(const RegistryState& state,
                                                              const std::string& subject,
                                                              std::optional<std::uint32_t> version,
                                                              Permanent permanent) {
  const SubjectVersions* versions = state.find_subject(subject);
  if (versions == nullptr) return subject_not_found(subject);
  const SubjectVersion* found = version ? find_version(*versions, *version) : newest_live(*versions);
  if (!version && found == nullptr) found = &versions->back();
  if (found == nullptr) return version_not_found(std::to_string(*version));
  if (found->deleted && permanent == Permanent::kNo) return version_soft_deleted(subject, found->version);
  CAIRN_CHECK(check_writable(state, subject));
  if (!found->deleted && permanent == Permanent::kYes)
    return version_not_soft_deleted(subject, found->version);
  if (!referring_to(state, subject, found->version, who_counts(permanent)).empty()) {
    return reference_exists(subject, found->version);
  }
  if (permanent == Permanent::kYes) {
    return Decision<std::uint32_t>{found->version, {VersionPermanentlyDeleted{subject, found->version}}};
  }
  return Decision<std::uint32_t>{found->version, {VersionDeleted{subject, found->version}}};
}

RegistryResult<Decision<std::vector<std::uint32_t>>> decide_delete_subject(const RegistryState& state,
                                                                           const std::string& subject,
                                                                           Permanent permanent) {
  const SubjectVersions* versions = state.find_subject(subject);
  if (versions == nullptr) return subject_not_found(subject);
  const bool all_hidden = newest_live(*versions) == nullptr;
  if (all_hidden && permanent == Permanent::kNo) return subject_soft_deleted(subject);
  CAIRN_CHECK(check_writable(state, subject));
  if (!all_hidden && permanent == Permanent::kYes) return subject_not_soft_deleted(subject);

  std::vector<std::uint32_t> numbers;
  for (const SubjectVersion& version : *versions) {
    if (version.deleted && permanent == Permanent::kNo) continue;
    const auto referring = referring_to(state, subject, version.version, who_counts(permanent));
    const bool from_elsewhere = std::any_of(referring.begin(), referring.end(),
                                            [&](const FoundVersion& one) { return one.subject != subject; });
    if (from_elsewhere) return reference_exists(subject, version.version);
    numbers.push_back(version.version);
  }
  Decision<std::vector<std::uint32_t>> decision{numbers, {}};
  if (permanent == Permanent::kYes) {
    decision.events.emplace_back(SubjectPermanentlyDeleted{subject});
  } else {
    decision.events.emplace_back(SubjectDeleted{subject, std::move(numbers)});
  }
  return decision;
}

}  // namespace cairn
