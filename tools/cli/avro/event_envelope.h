#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "eventstore/base/result.h"
#include "schemaregistry/model/schema.h"

namespace cairn::cli {

// An event from the server. JSON is kept as text.
struct ExportedEvent {
  std::uint64_t position = 0;
  std::uint64_t version = 0;
  std::string stream;
  std::string id;
  std::string type;
  std::string recorded_at;
  int schema_version = 0;     // 0 = none
  std::string content_type;   // not empty: `data` is a JSON string of base64
  std::string_view data;      // JSON
  std::string_view metadata;  // JSON; "null" and "{}" are none
  std::string_view tags;      // JSON: a list of texts
};

// Reads one line of `cairn read --json`. kInvalidArgument when it is not an event. The views are valid as
// long as the line.
Result<ExportedEvent> parse_exported_event(std::string_view line);

// The schema of the records in a file of events: CairnEvent with position, stream, version, id, type,
// recordedAt, metadata (JSON as text, or null), tags, and as `data` the schema of the events.
// kInvalidArgument when the events' schema defines a type of that name itself.
Result<Schema> envelope_schema(const Schema& data);

// The same for events with opaque data: `data` is bytes, and contentType follows.
Schema opaque_envelope_schema();

// Appends the record; `data` is the event's data in Avro's binary form, with what follows it.
void append_envelope(std::string& to, const ExportedEvent& event, std::string_view data);

// The line to import for a record, given as JSON; the record may have more fields and in another order.
// kInvalidArgument when it is no such record.
Result<std::string> import_line_of(std::string_view record_json);

}  // namespace cairn::cli
