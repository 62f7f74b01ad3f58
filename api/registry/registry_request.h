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

// What clients of the registry write into paths, queries and bodies. Unlike elsewhere in the API, what is not
// known is left alone: newer clients send more.

// A schema of the largest size with every character escaped is larger, but nobody writes that.
inline constexpr std::size_t kRegistryBodyBytesMax = 4u << 20;

// The subject in the path. ":.:name" is the name with the default context said.
std::string subject_of(const HttpRequest& request);

// The version in the path: nullopt for "latest" and -1; refused with 42202 otherwise.
RegistryResult<std::optional<std::uint32_t>> version_of(const HttpRequest& request);

// The id in the path; refused with 40403 when it cannot be one.
RegistryResult<SchemaId> id_of(const HttpRequest& request);

// A parameter of the query that is "true".
bool flag(const HttpRequest& request, const char* name);

// A parameter of the query, or nullopt.
std::optional<std::string> query_text(const HttpRequest& request, const char* name);

// Which subjects or versions: `deleted` and `deletedOnly`, which goes first.
Shown shown_in(const HttpRequest& request);
Deleted deleted_in(const HttpRequest& request);
Normalize normalize_in(const HttpRequest& request);

// The part of a list that is wanted. Numbers that make no sense are as if not given.
struct Window {
  std::size_t offset = 0;
  std::size_t limit = 0;  // 0 = all
};
Window window_of(const HttpRequest& request);

struct SchemaBody {
  SchemaInput schema;
  std::optional<SchemaId> id;
  std::optional<std::uint32_t> version;
  std::string upcaster;       // Cairn's own: the script that leads to this schema; empty when there is none
  std::string upcaster_file;  // how errors call it
};

// Refused with 415 for a type that is none of the registry's, 400 for what is no JSON, 422 for members of the
// wrong kind, 42201 for another schema type than AVRO and 42209 when it is too large.
RegistryResult<SchemaBody> read_schema_body(const HttpRequest& request);

// Refused with 42203 as well.
RegistryResult<RegistryConfig> read_config_body(const HttpRequest& request);

// Refused with 42204 as well.
RegistryResult<RegistryMode> read_mode_body(const HttpRequest& request);

}  // namespace cairn::api
