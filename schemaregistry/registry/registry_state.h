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
  bool deleted = false;  // hidden, but not gone
  std::shared_ptr<const StoredSchema> schema;
  std::uint64_t registered_at = 0;  // the event of the registry's stream that brought it
};

// Rising versions, hidden ones too; never empty.
using SubjectVersions = std::vector<SubjectVersion>;

// The newest version that is not hidden, or nullptr.
const SubjectVersion* newest_live(const SubjectVersions& versions);

// That version, hidden or not, or nullptr.
const SubjectVersion* find_version(const SubjectVersions& versions, std::uint32_t version);

// An event that has been checked against the state it will change.
struct CheckedRegistryEvent {
  RegistryEvent event;
  std::shared_ptr<const StoredSchema> schema;  // of a SchemaRegistered
};

// Everything the registry knows, folded from its events: the same events give the same state. A value: it
// does no I/O, and whoever shares it between threads guards it.
class RegistryState {
 public:
  using Subjects = std::unordered_map<std::string, SubjectVersions, SeededHash, std::equal_to<>>;

  // Finds out whether `event` can follow, and does what takes long: a schema is parsed here. Fails with
  // kCorruption when it cannot follow, so that a log which was tampered with is not taken for something else.
  Result<CheckedRegistryEvent> check(RegistryEvent event) const;

  // REQUIRES: check() gave `event`, and nothing was applied since.
  void apply(const CheckedRegistryEvent& event);

  // How many events were applied: the version of their stream.
  std::uint64_t event_count() const { return event_count_; }

  const Subjects& subjects() const { return subjects_; }

  // nullptr when there is no such subject.
  const SubjectVersions* find_subject(std::string_view subject) const;

  // A schema that was ever registered, or nullptr. Events written with it may be in the log for ever, so it
  // outlives the last version that used it.
  std::shared_ptr<const StoredSchema> find_id(SchemaId id) const;

  // Whether a version of some subject, hidden or not, has that id.
  bool is_used(SchemaId id) const;

  // The schema in use with that text and those references, or nullptr.
  std::shared_ptr<const StoredSchema> find_same(std::string_view text,
                                                const std::vector<SchemaReference>& references) const;

  // The highest id ever given; 0 when there is none.
  SchemaId id_max() const { return id_max_; }
  std::size_t schema_count() const { return used_.size(); }

  // What was set for a subject (nullopt: for all); nullptr when nothing was.
  const RegistryConfig* find_config(const std::optional<std::string>& subject) const;
  const RegistryMode* find_mode(const std::optional<std::string>& subject) const;

  // What holds for a subject: what was set for it, else for all, else the default.
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

  Result<std::shared_ptr<const StoredSchema>> stored(SchemaRegistered& event) const;
  Status check_follows(const RegistryEvent& event) const;
  SubjectVersion* mutable_version(const std::string& subject, std::uint32_t version);
  void use(const std::shared_ptr<const StoredSchema>& schema);
  void release(SchemaId id);
  void forget_settings(const std::string& subject);
  static std::uint64_t identity_hash(std::string_view text);

  std::uint64_t event_count_ = 0;
  SchemaId id_max_;
  Subjects subjects_;
  std::unordered_map<std::uint32_t, std::shared_ptr<const StoredSchema>> schemas_;  // by id, for ever
  std::unordered_map<std::uint32_t, std::size_t> used_;       // by id: versions that have it
  std::unordered_multimap<std::uint64_t, SchemaId> by_text_;  // those in use
  std::map<std::optional<std::string>, RegistryConfig> configs_;
  std::map<std::optional<std::string>, RegistryMode> modes_;
};

}  // namespace cairn
