#pragma once

#include <map>
#include <string>
#include <string_view>

#include "api/events/append_body.h"
#include "api/http/problem.h"
#include "api/serving/route_context.h"
#include "schemaregistry/events/event_codecs.h"

namespace cairn::api {

// The schema to use for a type where the client names no version; 0 = none. Other types use the newest.
using SchemaPins = std::map<std::string, SchemaId, std::less<>>;

// Checks the data of every event against its type's schema and replaces it by the Avro bytes. Opaque data has
// no schema, and is refused for a type that has one. Fails with "unknown-type" or "invalid-data", which list
// the events and the paths that are wrong. Data that has its schema already is left alone.
Answered<void> apply_schemas(AppendBody& body, EventCodecs& codecs, SchemaPolicy policy,
                             const SchemaPins& pins = {});

// Reads an event in Confluent's framing: a byte 0, the schema's id in four bytes, the Avro value. Fails with
// "invalid-request" when there is no frame, else like apply_schemas().
Answered<AppendBody> read_framed_event(std::string stream, std::string type, std::string_view bytes,
                                       EventCodecs& codecs);

}  // namespace cairn::api
