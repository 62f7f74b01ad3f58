#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

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

// The same, read and checked: what gives it its identity, and its types.
struct Candidate {
  std::string text;
  std::vector<SchemaReference> references;
  std::vector<std::shared_ptr<const StoredSchema>> referenced;
  Schema schema;
};

// Reads what a client sent. References must lead to versions that are there, `hidden` says whether those that
// are soft deleted are. Refused with 42201, or 42209 when it is too large.
RegistryResult<Candidate> read_candidate(const RegistryState& state, const SchemaInput& input,
                                         Normalize normalize, Deleted hidden);

// Nullopt when the text that would be stored reads as the same schema again and events can be written by it.
// What is in the log once has to be read at every start, so this is asked before and not then.
std::optional<RegistryError> check_storable(const Candidate& candidate, Normalize normalize);

// The live versions of a subject which `candidate` does not go with at the subject's level, told as messages;
// none when it may be its next version.
std::vector<std::string> check_compatibility(const RegistryState& state, const std::string& subject,
                                             const Candidate& candidate);

}  // namespace cairn
