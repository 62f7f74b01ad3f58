#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "schemaregistry/registry/candidate.h"
#include "schemaregistry/registry/decision.h"
#include "schemaregistry/registry/registry_error.h"
#include "schemaregistry/registry/registry_state.h"

namespace cairn {

enum class CheckCompatibility : bool { kNo, kYes };

struct Registration {
  std::string subject;
  SchemaInput schema;
  Normalize normalize = Normalize::kNo;  // the subject's setting may ask for it as well
  CheckCompatibility check = CheckCompatibility::kYes;
  std::optional<SchemaId> id;            // mode IMPORT only: where the schema comes from it has this id
  std::optional<std::uint32_t> version;  // the same
};

// nullopt when a subject may be called that.
std::optional<RegistryError> check_subject(std::string_view subject);

// nullopt when the subject's mode lets it be changed.
std::optional<RegistryError> check_writable(const RegistryState& state, const std::string& subject);

// Registers a schema under a subject and answers its id. A schema that is live under the subject keeps
// version and id, and is not compared with anything. A schema known elsewhere keeps its id.
RegistryResult<Decision<SchemaId>> decide_register(const RegistryState& state, const Registration& wanted);

}  // namespace cairn
