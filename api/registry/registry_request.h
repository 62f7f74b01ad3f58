#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "api/http/http_message.h"
#include "schemaregistry/registry/candidate.h"
#include "schemaregistry/registry/registry_error.h"
#include "schemaregistry/registry/registry_queries.h"
#include "schemaregistry/registry/registry_settings.h"

namespace cairn::api {

// Readers of the paths, queries and bodies of registry requests. Unlike the rest of the API, they ignore
// unknown parameters and members, because newer clients send more of them.

// A schema of the largest size with every character escaped would exceed this; no client sends one.
inline constexpr std::size_t kRegistryBodyBytesMax = 4u << 20;

// The subject in the path. ":.:name" is the name with an explicit default context.
std::string subject_of(const HttpRequest& request);

// The version in the path: nullopt for "latest" and -1; refused with 42202 otherwise.
RegistryResult<std::optional<std::uint32_t>> version_of(const HttpRequest& request);

// The id in the path; refused with 40403 when it is not a number.
RegistryResult<SchemaId> id_of(const HttpRequest& request);

// Whether a parameter of the query is "true".
bool flag(const HttpRequest& request, const char* name);

// A parameter of the query, or nullopt.
std::optional<std::string> query_text(const HttpRequest& request, const char* name);

// The subjects or versions that `deleted` and `deletedOnly` select; `deletedOnly` takes precedence.
Shown shown_in(const HttpRequest& request);
Deleted deleted_in(const HttpRequest& request);
Normalize normalize_in(const HttpRequest& request);

// The part of a list that the client asks for. Invalid numbers are ignored.
struct Window {
  std::size_t offset = 0;
  std::size_t limit = 0;  // 0 = all
};
Window window_of(const HttpRequest& request);

struct SchemaBody {
  SchemaInput schema;
  std::optional<SchemaId> id;
  std::optional<std::uint32_t> version;
  std::string upcaster;       // an extension: the script that leads to this schema; empty = none
  std::string upcaster_file;  // the script's name in errors
};

// Refused with 415 for an unknown media type, 400 for a body that is not JSON, 422 for members of the wrong
// kind, 42201 for another schema type than AVRO, and 42209 when it is too large.
RegistryResult<SchemaBody> read_schema_body(const HttpRequest& request);

// Refused likewise, and with 42203 for an unknown level.
RegistryResult<RegistryConfig> read_config_body(const HttpRequest& request);

// Refused likewise, and with 42204 for an unknown mode.
RegistryResult<RegistryMode> read_mode_body(const HttpRequest& request);

}  // namespace cairn::api
