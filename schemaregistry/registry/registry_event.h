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

// The stream that holds everything the registry knows.
inline constexpr std::string_view kSchemaStream = "$schemas";

// What can have happened to the registry; docs/format.md shows each as it is stored. `subject` is nullopt
// where all subjects are meant.

struct SchemaRegistered {
  std::string subject;
  std::uint32_t version = 0;
  SchemaId id;
  std::string text;
  std::vector<SchemaReference> references;
};

// The version is hidden. Its number and its id stay taken.
struct VersionDeleted {
  std::string subject;
  std::uint32_t version = 0;
};

// The version is gone. With a subject's last version its settings go as well.
struct VersionPermanentlyDeleted {
  std::string subject;
  std::uint32_t version = 0;
};

// The versions, which were all that were not hidden, are hidden.
struct SubjectDeleted {
  std::string subject;
  std::vector<std::uint32_t> versions;
};

// All versions, and the settings, are gone.
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

// As it is appended to the stream.
NewEvent to_new_event(const RegistryEvent& event);

// As it was read from the stream. Fails with kFailedPrecondition for a type that this program does not know,
// which a newer one has written, and with kCorruption for data that cannot be what was written.
Result<RegistryEvent> read_registry_event(std::string_view type, std::string_view data);

}  // namespace cairn
