#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "api/events/append_body.h"
#include "api/http/problem.h"
#include "api/serving/route_context.h"
#include "schemaregistry/events/event_codecs.h"

namespace cairn::api {

// Which schema to take for a type where the client names no version; 0 = none. Others take the newest.
using SchemaPins = std::map<std::string, SchemaId, std::less<>>;

// Checks the data of every event against its type's schema and puts the Avro bytes in its place. Nullopt when
// all may be stored, else "unknown-type" or "invalid-data" with the events and places that are wrong. Data
// that has its schema already is left alone.
std::optional<Problem> apply_schemas(AppendBody& body, EventCodecs& codecs, SchemaPolicy policy,
                                     const SchemaPins& pins = {});

// Reads an event whose data is Avro behind the number of its schema: a byte 0, four bytes, the value.
std::variant<AppendBody, Problem> read_framed_event(std::string stream, std::string type,
                                                    std::string_view bytes, EventCodecs& codecs);

}  // namespace cairn::api
