#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "eventstore/base/result.h"
#include "eventstore/types.h"
#include "schemaregistry/registry/registry_settings.h"
#include "schemaregistry/registry/stored_schema.h"

namespace cairn {

// The events of the registry, in the stream kSchemaStream; docs/format.md shows each as it is stored. Without
// `subject` an event concerns all subjects.

struct SchemaRegistered {
  std::string subject;
  std::uint32_t version = 0;
  SchemaId id;
  std::string text;
  std::vector<SchemaReference> references;
};

// The version is soft-deleted. Its number and its id stay in use.
struct VersionDeleted {
  std::string subject;
  std::uint32_t version = 0;
};

// The version is removed. With its last version a subject's settings are removed too.
struct VersionPermanentlyDeleted {
  std::string subject;
  std::uint32_t version = 0;
};

// The versions, all live ones of the subject, are soft-deleted.
struct SubjectDeleted {
  std::string subject;
  std::vector<std::uint32_t> versions;
};

// All versions and the settings of the subject are removed.
struct SubjectPermanentlyDeleted {
  std::string subject;
};

struct ConfigSet {
  std::optional<std::string> subject;
  RegistryConfig config;
};

struct ConfigDeleted {
  std::optional<std::string> subject;
};

struct ModeSet {
  std::optional<std::string> subject;
  RegistryMode mode = RegistryMode::kReadWrite;
};

struct ModeDeleted {
  std::optional<std::string> subject;
};

using RegistryEvent =
    std::variant<SchemaRegistered, VersionDeleted, VersionPermanentlyDeleted, SubjectDeleted,
                 SubjectPermanentlyDeleted, ConfigSet, ConfigDeleted, ModeSet, ModeDeleted>;

// Encodes an event for the stream.
NewEvent to_new_event(const RegistryEvent& event);

// Decodes an event of the stream. Fails with kFailedPrecondition for an unknown type, which a newer program
// has written, and with kCorruption for invalid data.
Result<RegistryEvent> read_registry_event(std::string_view type, std::string_view data);

}  // namespace cairn
