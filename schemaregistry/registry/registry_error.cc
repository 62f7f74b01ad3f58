#include "schemaregistry/registry/registry_error.h"

#include <fmt/format.h>

namespace cairn {

namespace {

// The first three digits of a code are HTTP's.
RegistryError coded(int code, std::string message) { return {code, code / 100, std::move(message)}; }

std::string quoted(std::string_view subject) { return "Subject '" + std::string(subject) + "'"; }

std::string quoted(std::string_view subject, std::uint32_t version) {
  return quoted(subject) + " Version " + std::to_string(version);
}

}  // namespace

RegistryError store_failed(const Error& error) {
  switch (error.code) {
    case Errc::kStale:
    case Errc::kOverloaded:
    case Errc::kFailedPrecondition:
      return {503, 503, error.message};
    case Errc::kBudgetExceeded:
    case Errc::kCancelled:  // the server stops; a client that has left gets nothing
      return coded(kBudgetExceededCode, "The request takes too long: " + error.message);
    case Errc::kDiskFull:
      return {507, 507, "The disk is full. Nothing was written."};
    default:
      return coded(50001, "Error in the backend data store: " + error.message);
  }
}

RegistryError subject_not_found(std::string_view subject) {
  return coded(40401, quoted(subject) + " not found.");
}

RegistryError version_not_found(std::string_view version) {
  return coded(40402, "Version " + std::string(version) + " not found.");
}

RegistryError schema_not_found() { return coded(40403, "Schema not found"); }

RegistryError schema_not_found(std::string_view id) {
  return coded(40403, "Schema " + std::string(id) + " not found");
}

// No space after the full stop: tools compare the text.
RegistryError subject_soft_deleted(std::string_view subject) {
  return coded(40404, quoted(subject) + " was soft deleted.Set permanent=true to delete permanently");
}

RegistryError subject_not_soft_deleted(std::string_view subject) {
  return coded(40405, quoted(subject) + " was not deleted first before being permanently deleted");
}

RegistryError version_soft_deleted(std::string_view subject, std::uint32_t version) {
  return coded(40406,
               quoted(subject, version) + " was soft deleted.Set permanent=true to delete permanently");
}

RegistryError version_not_soft_deleted(std::string_view subject, std::uint32_t version) {
  return coded(40407, quoted(subject, version) + " was not deleted first before being permanently deleted");
}

RegistryError config_not_found(std::string_view subject) {
  return coded(40408, quoted(subject) + " does not have subject-level compatibility configured");
}

RegistryError mode_not_found(std::string_view subject) {
  return coded(40409, quoted(subject) + " does not have subject-level mode configured");
}

// Newer registries say 40901, but every client looks at the status, and older ones at a body that says 409.
RegistryError incompatible_schema(std::string_view subject, std::string_view messages) {
  return {409, 409,
          "Schema being registered is incompatible with an earlier schema for subject \"" +
              std::string(subject) + "\", details: [" + std::string(messages) + "]"};
}

RegistryError invalid_schema(std::string_view reason) {
  return coded(42201, "Invalid schema: " + std::string(reason));
}

RegistryError invalid_version(std::string_view version) {
  return coded(42202,
               "The specified version '" + std::string(version) +
                   "' is not a valid version id. Allowed values are between [1, 2^31-1] and the string "
                   "\"latest\"");
}

RegistryError invalid_compatibility_level() {
  return coded(
      42203,
      "Invalid compatibility level. Valid values are none, backward, forward, full, backward_transitive, "
      "forward_transitive, and full_transitive");
}

RegistryError invalid_mode() {
  return coded(42204, "Invalid mode. Valid values are READWRITE, READONLY, IMPORT and FORWARD.");
}

RegistryError not_permitted(std::string message) { return coded(42205, std::move(message)); }

RegistryError reference_exists(std::string_view subject, std::uint32_t version) {
  return coded(42206, fmt::format("One or more references exist to the schema "
                                  "{{magic=1,keytype=SCHEMA,subject={},version={}}}.",
                                  subject, version));
}

RegistryError id_does_not_match(SchemaId known, SchemaId given) {
  return coded(42207, fmt::format("The schema is known with id {} and was given with id {}.", known.value,
                                  given.value));
}

RegistryError invalid_subject(std::string_view subject) {
  return coded(42208, "The specified subject '" + std::string(subject) + "' is not a valid subject.");
}

RegistryError schema_too_large(std::string_view reason) {
  return coded(42209, "The schema is too large: " + std::string(reason));
}

RegistryError context_not_empty(std::string_view context) {
  return coded(42211, "The specified context '" + std::string(context) + "' is not empty.");
}

RegistryError schema_refused(const Error& error) {
  switch (error.code) {
    case Errc::kTooLarge:
      return schema_too_large(error.message);
    case Errc::kBudgetExceeded:
    case Errc::kCancelled:
      return store_failed(error);
    default:
      return invalid_schema(error.message);
  }
}

}  // namespace cairn
