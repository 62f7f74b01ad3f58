#include "schemaregistry/registry/registry_state.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "schemaregistry/registry/resolve_references.h"

namespace cairn {

namespace {

Error cannot_follow(const std::string& what) {
  return make_error(Errc::kCorruption, "the events of the schema registry contradict each other: " + what);
}

std::string named(const std::string& subject, std::uint32_t version) {
  return fmt::format("version {} of '{}'", version, subject);
}

auto first_from(auto& versions, std::uint32_t version) {
  return std::lower_bound(
      versions.begin(), versions.end(), version,
      [](const SubjectVersion& one, std::uint32_t wanted) { return one.version < wanted; });
}

}  // namespace

const SubjectVersion* newest_live(const SubjectVersions& versions) {
  const auto found =
      std::find_if(versions.rbegin(), versions.rend(), [](const auto& one) { return !one.deleted; });
  return found == versions.rend() ? nullptr : &*found;
}

const SubjectVersion* find_version(const SubjectVersions& versions, std::uint32_t version) {
  const auto found = first_from(versions, version);
  return found == versions.end() || found->version != version ? nullptr : &*found;
}

void insert_version(SubjectVersions& versions, SubjectVersion version) {
  versions.insert(first_from(versions, version.version), std::move(version));
}

// --- Checking --------------------------------------------------------------------------------------------

Result<CheckedRegistryEvent> RegistryState::check(RegistryEvent event,
                                                  const std::shared_ptr<const StoredSchema>& parsed) const {
  CAIRN_CHECK(check_follows(event));
  CheckedRegistryEvent checked;
  if (auto* registered = std::get_if<SchemaRegistered>(&event)) {
    CAIRN_TRY(checked.schema, stored(*registered, parsed));
  }
  checked.event = std::move(event);
  return checked;
}

Status RegistryState::check_follows(const RegistryEvent& event) const {
  const auto check_there = [this](const std::string& subject, std::uint32_t version) -> Status {
    const SubjectVersions* versions = find_subject(subject);
    if (versions != nullptr && find_version(*versions, version) != nullptr) return {};
    return cannot_follow("there is no " + named(subject, version));
  };
  if (const auto* registered = std::get_if<SchemaRegistered>(&event)) {
    const SubjectVersions* versions = find_subject(registered->subject);
    if (versions != nullptr && find_version(*versions, registered->version) != nullptr) {
      return cannot_follow(named(registered->subject, registered->version) + " is given twice");
    }
  } else if (const auto* deleted = std::get_if<VersionDeleted>(&event)) {
    return check_there(deleted->subject, deleted->version);
  } else if (const auto* gone = std::get_if<VersionPermanentlyDeleted>(&event)) {
    return check_there(gone->subject, gone->version);
  } else if (const auto* subject = std::get_if<SubjectDeleted>(&event)) {
    for (const std::uint32_t version : subject->versions) CAIRN_CHECK(check_there(subject->subject, version));
  } else if (const auto* subject_gone = std::get_if<SubjectPermanentlyDeleted>(&event)) {
    if (find_subject(subject_gone->subject) == nullptr) {
      return cannot_follow("there is no subject '" + subject_gone->subject + "'");
    }
  }
  return {};
}

// The schema of the event: the one with its id, or a new one.
Result<std::shared_ptr<const StoredSchema>> RegistryState::stored(
    SchemaRegistered& event, const std::shared_ptr<const StoredSchema>& parsed) const {
  if (auto known = find_id(event.id)) {
    if (known->text != event.text || known->references != event.references) {
      return cannot_follow("id " + std::to_string(event.id.value) + " stands for two schemas");
    }
    return known;
  }
  std::vector<std::shared_ptr<const StoredSchema>> referenced;
  for (const SchemaReference& reference : event.references) {
    const SubjectVersions* versions = find_subject(reference.subject);
    const SubjectVersion* version =
        versions == nullptr ? nullptr : find_version(*versions, reference.version);
    if (version == nullptr)
      return cannot_follow("there is no " + named(reference.subject, reference.version));
    referenced.push_back(version->schema);
  }
  if (parsed != nullptr && parsed->id == event.id && parsed->text == event.text &&
      parsed->references == event.references && parsed->referenced == referenced) {
    return parsed;
  }
  auto schema = parse_with_references(event.text, event.references, referenced);
  if (!schema) {
    return make_error(Errc::kFailedPrecondition, fmt::format("the schema with id {} cannot be read: {}",
                                                             event.id.value, schema.error().message));
  }
  return std::make_shared<const StoredSchema>(StoredSchema{event.id, std::move(event.text),
                                                           std::move(event.references), *std::move(schema),
                                                           std::move(referenced)});
}

// --- Applying --------------------------------------------------------------------------------------------

void RegistryState::apply(const CheckedRegistryEvent& checked) {
  ++event_count_;
  std::visit(
      [&](const auto& event) {
        if constexpr (std::is_same_v<std::decay_t<decltype(event)>, SchemaRegistered>) {
          apply(event, checked.schema);
        } else {
          apply(event);
        }
      },
      checked.event);
}

void RegistryState::apply(const SchemaRegistered& event, const std::shared_ptr<const StoredSchema>& schema) {
  schemas_.emplace(schema->id.value, schema);
  id_max_ = std::max(id_max_, schema->id);
  insert_version(subjects_[event.subject], {event.version, false, schema, event_count_});
  use(schema);
}

void RegistryState::apply(const VersionDeleted& event) {
  mutable_version(event.subject, event.version)->deleted = true;
}

void RegistryState::apply(const VersionPermanentlyDeleted& event) {
  SubjectVersions& versions = subjects_.find(event.subject)->second;
  const auto version = first_from(versions, event.version);
  release(version->schema->id);
  versions.erase(version);
  if (!versions.empty()) return;
  subjects_.erase(event.subject);
  forget_settings(event.subject);
}

void RegistryState::apply(const SubjectDeleted& event) {
  for (const std::uint32_t version : event.versions) mutable_version(event.subject, version)->deleted = true;
}

void RegistryState::apply(const SubjectPermanentlyDeleted& event) {
  const auto subject = subjects_.find(event.subject);
  for (const SubjectVersion& version : subject->second) release(version.schema->id);
  subjects_.erase(subject);
  forget_settings(event.subject);
}

void RegistryState::apply(const ConfigSet& event) { configs_[event.subject] = event.config; }
void RegistryState::apply(const ConfigDeleted& event) { configs_.erase(event.subject); }
void RegistryState::apply(const ModeSet& event) { modes_[event.subject] = event.mode; }
void RegistryState::apply(const ModeDeleted& event) { modes_.erase(event.subject); }

SubjectVersion* RegistryState::mutable_version(const std::string& subject, std::uint32_t version) {
  return &*first_from(subjects_.find(subject)->second, version);
}

void RegistryState::use(const std::shared_ptr<const StoredSchema>& schema) {
  if (++used_[schema->id.value] == 1) by_text_.emplace(identity_hash(schema->text), schema->id);
}

void RegistryState::release(SchemaId id) {
  const auto used = used_.find(id.value);
  if (--used->second > 0) return;
  used_.erase(used);
  auto [same, end] = by_text_.equal_range(identity_hash(schemas_.at(id.value)->text));
  by_text_.erase(std::find_if(same, end, [id](const auto& one) { return one.second == id; }));
}

void RegistryState::forget_settings(const std::string& subject) {
  configs_.erase(subject);
  modes_.erase(subject);
}

// --- Reading ---------------------------------------------------------------------------------------------

const SubjectVersions* RegistryState::find_subject(std::string_view subject) const {
  const auto found = subjects_.find(subject);
  return found == subjects_.end() ? nullptr : &found->second;
}

std::shared_ptr<const StoredSchema> RegistryState::find_id(SchemaId id) const {
  const auto found = schemas_.find(id.value);
  return found == schemas_.end() ? nullptr : found->second;
}

bool RegistryState::is_used(SchemaId id) const { return used_.contains(id.value); }

std::shared_ptr<const StoredSchema> RegistryState::find_same(
    std::string_view text, const std::vector<SchemaReference>& references) const {
  for (auto [same, end] = by_text_.equal_range(identity_hash(text)); same != end; ++same) {
    const auto& schema = schemas_.at(same->second.value);
    if (schema->text == text && schema->references == references) return schema;
  }
  return nullptr;
}

const RegistryConfig* RegistryState::find_config(const std::optional<std::string>& subject) const {
  const auto found = configs_.find(subject);
  return found == configs_.end() ? nullptr : &found->second;
}

const RegistryMode* RegistryState::find_mode(const std::optional<std::string>& subject) const {
  const auto found = modes_.find(subject);
  return found == modes_.end() ? nullptr : &found->second;
}

CompatibilityLevel RegistryState::compatibility_of(const std::string& subject) const {
  for (const RegistryConfig* config : {find_config(subject), find_config(std::nullopt)}) {
    if (config != nullptr && config->compatibility) return *config->compatibility;
  }
  return kDefaultCompatibility;
}

bool RegistryState::normalize_of(const std::string& subject) const {
  for (const RegistryConfig* config : {find_config(subject), find_config(std::nullopt)}) {
    if (config != nullptr && config->normalize) return *config->normalize;
  }
  return false;
}

RegistryMode RegistryState::mode_of(const std::string& subject) const {
  const RegistryMode* everywhere = find_mode(std::nullopt);
  if (everywhere != nullptr && *everywhere == RegistryMode::kReadOnlyOverride) return *everywhere;
  const RegistryMode* own = find_mode(subject);
  if (own != nullptr) return *own;
  return everywhere == nullptr ? RegistryMode::kReadWrite : *everywhere;
}

std::uint64_t RegistryState::identity_hash(std::string_view text) { return SeededHash{}(text); }

}  // namespace cairn
