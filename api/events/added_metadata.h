#pragma once

#include <string>

#include "api/access/token_file.h"
#include "api/http/http_message.h"
#include "api/http/problem.h"
#include "eventstore/event_store.h"

namespace cairn::api {

// What the server adds to the metadata of the events of one append, as JSON texts; an empty one is not added.
struct AddedMetadata {
  std::string causation_id;
  std::string correlation_id;
  std::string trace_parent;
};

// A larger correlationId of the cause is not inherited: the events of one request are many.
inline constexpr std::size_t kCorrelationIdBytesMax = 256;

// Adds to each event the members that its own metadata does not have. The same input gives the same text.
void add_metadata(const AddedMetadata& added, AppendRequest& request);

// The request's traceparent as JSON text; empty when there is none, an invalid one, or several.
std::string trace_parent_json(const HttpRequest& request);

// Sets causation_id to the id of the event at `cause`, and correlation_id to the correlationId that the event
// has in its metadata, or else to its id. Reads from the disk. Fails with "invalid-request" when there is no
// such event, and with "forbidden" when its category is out of the reach of `token` (nullptr: none is needed).
Answered<void> inherit_from(LogReader& log, GlobalPosition cause, const Token* token, AddedMetadata& added);

}  // namespace cairn::api
