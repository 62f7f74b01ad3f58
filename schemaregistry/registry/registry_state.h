#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "eventstore/base/result.h"
#include "eventstore/base/seeded_hash.h"
#include "eventstore/types.h"
#include "schemaregistry/registry/registry_event.h"
#include "schemaregistry/registry/registry_settings.h"
#include "schemaregistry/registry/stored_schema.h"

namespace cairn {

struct SubjectVersion {
  std::uint32_t version = 0;
  bool deleted = false;  // soft-deleted
  std::shared_ptr<const StoredSchema> schema;
  std::uint64_t registered_at = 0;  // the version of the registry's stream at which it was registered
};

// In ascending order, including soft-deleted versions; never empty.
using SubjectVersions = std::vector<SubjectVersion>;

// The newest version that is not soft-deleted, or nullptr.
const SubjectVersion* newest_live(const SubjectVersions& versions);

// That version, soft-deleted or not, or nullptr.
const SubjectVersion* find_version(const SubjectVersions& versions, std::uint32_t version);

// Puts a version in its place among the others. REQUIRES: none has its number.
void insert_version(SubjectVersions& versions, SubjectVersion version);

// An event that has been checked against the state it will change.
struct CheckedRegistryEvent {
  RegistryEvent event;
  std::shared_ptr<const StoredSchema> schema;  // of a SchemaRegistered
};

// The state of the registry, folded from its events: the same events give the same state. A value: it does no
// I/O. Not thread-safe.
class RegistryState {
 public:
  using Subjects = std::unordered_map<std::string, SubjectVersions, SeededHash, std::equal_to<>>;

  // Checks whether `event` can follow the events applied so far, and does the expensive work: a schema is
  // parsed here, unless `parsed` is that schema already. Fails with kCorruption when it cannot, so that a log
  // that was tampered with is not accepted.
  Result<CheckedRegistryEvent> check(RegistryEvent event,
                                     const std::shared_ptr<const StoredSchema>& parsed = nullptr) const;

  // REQUIRES: check() returned `event`, and nothing was applied since.
  void apply(const CheckedRegistryEvent& event);

  // How many events were applied: the version of their stream.
  std::uint64_t event_count() const { return event_count_; }

  const Subjects& subjects() const { return subjects_; }

  // nullptr when there is no such subject.
  const SubjectVersions* find_subject(std::string_view subject) const;

  // A schema that was ever registered, or nullptr. The log may have events written with it, so it stays after
  // the last version that used it is deleted.
  std::shared_ptr<const StoredSchema> find_id(SchemaId id) const;

  // Whether a version of any subject, soft-deleted or not, has that id.
  bool is_used(SchemaId id) const;

  // The schema in use with that text and those references, or nullptr.
  std::shared_ptr<const StoredSchema> find_same(std::string_view text,
                                                const std::vector<SchemaReference>& references) const;

  // The highest id ever given; 0 when there is none.
  SchemaId id_max() const { return id_max_; }
  std::size_t schema_count() const { return used_.size(); }

  // The settings of a subject (nullopt: of all subjects), or nullptr.
  const RegistryConfig* find_config(const std::optional<std::string>& subject) const;
  const RegistryMode* find_mode(const std::optional<std::string>& subject) const;

  // The effective settings of a subject: its own, else those of all subjects, else the default.
  CompatibilityLevel compatibility_of(const std::string& subject) const;
  bool normalize_of(const std::string& subject) const;
  RegistryMode mode_of(const std::string& subject) const;

 private:
  void apply(const SchemaRegistered& event, const std::shared_ptr<const StoredSchema>& schema);
  void apply(const VersionDeleted& event);
  void apply(const VersionPermanentlyDeleted& event);
  void apply(const SubjectDeleted& event);
  void apply(const SubjectPermanentlyDeleted& event);
  void apply(const ConfigSet& event);
  void apply(const ConfigDeleted& event);
  void apply(const ModeSet& event);
  void apply(const ModeDeleted& event);

  Result<std::shared_ptr<const StoredSchema>> stored(SchemaRegistered& event,
                                                     const std::shared_ptr<const StoredSchema>& parsed) const;
  Status check_follows(const RegistryEvent& event) const;
  SubjectVersion* mutable_version(const std::string& subject, std::uint32_t version);
  void use(const std::shared_ptr<const StoredSchema>& schema);
  void release(SchemaId id);
  void forget_settings(const std::string& subject);
  static std::uint64_t identity_hash(std::string_view text);

  std::uint64_t event_count_ = 0;
  SchemaId id_max_;
  Subjects subjects_;
  std::unordered_map<std::uint32_t, std::shared_ptr<const StoredSchema>> schemas_;  // by id; never removed
  std::unordered_map<std::uint32_t, std::size_t> used_;       // by id: the number of versions that have it
  std::unordered_multimap<std::uint64_t, SchemaId> by_text_;  // those in use, by the hash of their text
  std::map<std::optional<std::string>, RegistryConfig> configs_;
  std::map<std::optional<std::string>, RegistryMode> modes_;
};

}  // namespace cairn
