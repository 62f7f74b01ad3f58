#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "eventstore/base/work_budget.h"
#include "schemaregistry/registry/registry_error.h"
#include "schemaregistry/registry/registry_state.h"

namespace cairn {

enum class Normalize : bool { kNo, kYes };
enum class Deleted : bool { kLeftOut, kIncluded };

// A reference as a client writes it.
struct ReferenceInput {
  std::string name;
  std::string subject;
  std::optional<std::uint32_t> version;  // nullopt = the latest
};

// A schema as a client sends it.
struct SchemaInput {
  std::string text;
  std::vector<ReferenceInput> references;
};

// The same, parsed and checked: the text and references that identify it, and its types.
struct Candidate {
  std::string text;
  std::vector<SchemaReference> references;
  std::vector<std::shared_ptr<const StoredSchema>> referenced;
  Schema schema;
};

// The work of these functions is charged to `budget`, unless that is nullptr; when it ends, they are refused
// with kBudgetExceededCode, and the message says how far they got.

// Parses a schema of a client. References must resolve to existing versions; `hidden` says whether
// soft-deleted ones count. Refused with 42201, or 42209 when it is too large.
RegistryResult<Candidate> read_candidate(const RegistryState& state, const SchemaInput& input,
                                         Normalize normalize, Deleted hidden, WorkBudget* budget);

// Succeeds when the text that would be stored parses to the same schema again and events can be encoded with
// it. Every start of the registry parses each schema in the log, so this is checked before the append and not
// then.
RegistryResult<void> check_storable(const Candidate& candidate, Normalize normalize, WorkBudget* budget);

// Why `candidate` is incompatible with live versions of a subject at the subject's level; empty when it may
// be its next version.
RegistryResult<std::vector<std::string>> check_compatibility(const RegistryState& state,
                                                             const std::string& subject,
                                                             const Candidate& candidate, WorkBudget* budget);

// The same for these versions of a subject with that level.
RegistryResult<std::vector<std::string>> check_candidate(CompatibilityLevel level, const Candidate& candidate,
                                                         std::span<const LiveVersion> newest_first,
                                                         WorkBudget* budget);

}  // namespace cairn
