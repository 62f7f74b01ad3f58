#pragma once

#include <string>

#include "eventstore/base/result.h"
#include "eventstore/types.h"
#include "upcasters/model/shaped_event.h"

namespace cairn::api {

// Appends an event, or what became a part of it, as clients see it, on one line. Numbers keep every digit.
// Fails with kCorruption when the data cannot be read by the part's plan; `to` has then a piece of the event.
Status append_event_json(std::string& to, const EventView& stored, const ShapedEvent& part);

// Appends what is known of a stream as a whole.
void append_stream_json(std::string& to, const StreamInfo& stream);

// Appends where the events of one stream came to stand.
void append_result_json(std::string& to, const StreamAppendResult& result, bool already_applied);

}  // namespace cairn::api
