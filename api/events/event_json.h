#pragma once

#include <string>

#include "eventstore/types.h"

namespace cairn::api {

// Appends an event as clients see it, on one line. Data and metadata go out as they were stored, so numbers
// keep every digit.
void append_event_json(std::string& to, const EventView& event);

// Appends what is known of a stream as a whole.
void append_stream_json(std::string& to, const StreamInfo& stream);

// Appends where the events of one stream came to stand.
void append_result_json(std::string& to, const StreamAppendResult& result, bool already_applied);

// Appends a number.
void append_number(std::string& to, std::uint64_t number);

}  // namespace cairn::api
