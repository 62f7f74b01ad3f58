#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "eventstore/base/result.h"
#include "eventstore/types.h"

namespace cairn {

// Why the registry refuses a request. Clients of schema registries act on the code (40401: no such subject)
// and show the message.
struct RegistryError {
  int code = 0;    // 40401, …
  int status = 0;  // the HTTP status
  std::string message;
};

// The work on the request took more than it may, or was cancelled: the same request fails again.
inline constexpr int kBudgetExceededCode = 50301;

// A failure of the store below the registry, or of a WorkBudget.
RegistryError store_failed(const Error& error);
inline RegistryError convert_error(ErrorKind<RegistryError>, const Error& error) {
  return store_failed(error);
}

RegistryError subject_not_found(std::string_view subject);
RegistryError version_not_found(std::string_view version);
RegistryError schema_not_found();
RegistryError schema_not_found(std::string_view id);
RegistryError subject_soft_deleted(std::string_view subject);
RegistryError subject_not_soft_deleted(std::string_view subject);
RegistryError version_soft_deleted(std::string_view subject, std::uint32_t version);
RegistryError version_not_soft_deleted(std::string_view subject, std::uint32_t version);
RegistryError config_not_found(std::string_view subject);
RegistryError mode_not_found(std::string_view subject);
RegistryError incompatible_schema(std::string_view subject, std::string_view messages);
RegistryError invalid_schema(std::string_view reason);
RegistryError invalid_version(std::string_view version);
RegistryError invalid_compatibility_level();
RegistryError invalid_mode();
RegistryError not_permitted(std::string message);
RegistryError reference_exists(std::string_view subject, std::uint32_t version);
RegistryError id_does_not_match(SchemaId known, SchemaId given);
RegistryError invalid_subject(std::string_view subject);
RegistryError schema_too_large(std::string_view reason);
RegistryError context_not_empty(std::string_view context);

// Why a text of a client is no schema: parse_schema() or print_schema() failed with `error`.
RegistryError schema_refused(const Error& error);

// A value, or why the registry refuses.
template <typename T>
using RegistryResult = Result<T, RegistryError>;

}  // namespace cairn
