#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "schemaregistry/registry/registry_state.h"
#include "upcasters/model/upcaster.h"

namespace cairn {

// The versions of one event type and the upcasters between them, at one moment. A value.
struct TypeHistory {
  std::string type;
  SubjectVersions versions;  // rising; hidden ones too; empty for a type without a schema
  std::map<std::uint32_t, std::shared_ptr<const Upcaster>> upcasters;  // by the version they start from

  // nullptr when there is none.
  const SubjectVersion* version(std::uint32_t number) const;
  const SubjectVersion* newest() const;                        // that is not hidden
  const SubjectVersion* next_live(std::uint32_t after) const;  // the first above that is not hidden
  const SubjectVersion* with_schema(SchemaId id) const;        // the newest that has it
  // The newest when the registry had this many changes, or else the first there is.
  const SubjectVersion* newest_at(std::uint64_t registry_changes) const;

  // The upcaster that events take from this version, or nullptr. An upcaster is ignored if its versions now
  // have other schemas, because the subject was deleted and registered again.
  std::shared_ptr<const Upcaster> upcaster_from(const SubjectVersion& version) const;
};

// A source of histories. Thread-safe.
class HistorySource {
 public:
  virtual ~HistorySource() = default;

  // Grows with every change to any history.
  virtual std::uint64_t changes() const = 0;
  virtual TypeHistory history(std::string_view type) = 0;
  virtual std::shared_ptr<const StoredSchema> schema(SchemaId id) = 0;  // nullptr when there is none
};

}  // namespace cairn
