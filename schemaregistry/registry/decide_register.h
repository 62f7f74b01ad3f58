#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "schemaregistry/registry/candidate.h"
#include "schemaregistry/registry/decision.h"
#include "schemaregistry/registry/registry_error.h"
#include "schemaregistry/registry/registry_state.h"

namespace cairn {

enum class CheckCompatibility : bool { kNo, kYes };

// A version that was deleted although events may be stored with its schema.
struct LostVersion {
  std::uint32_t version = 0;
  SchemaId id;
};

struct Registration {
  std::string subject;
  SchemaInput schema;
  Normalize normalize = Normalize::kNo;  // the subject's setting may ask for it as well
  CheckCompatibility check = CheckCompatibility::kYes;
  std::optional<SchemaId> id;            // mode IMPORT only: the id in the registry that it comes from
  std::optional<std::uint32_t> version;  // the same
  // Of the subject: the same schema gets back its id, and its number if no other version has it by now.
  std::vector<LostVersion> lost = {};
};

// Whether the text is a valid name of a subject.
RegistryResult<void> check_subject(std::string_view subject);

// Whether the subject's mode permits changes.
RegistryResult<void> check_writable(const RegistryState& state, const std::string& subject);

// Registers a schema under a subject and answers its id. Idempotent: a schema that is live under the subject
// keeps version and id, and its compatibility is not checked. A schema that another subject has keeps its id.
// The work is charged to `budget`, unless that is nullptr; when it ends, refused with kBudgetExceededCode.
RegistryResult<Decision<SchemaId>> decide_register(const RegistryState& state, const Registration& wanted,
                                                   WorkBudget* budget = nullptr);

}  // namespace cairn
