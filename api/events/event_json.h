#pragma once

#include <string>

#include "eventstore/base/result.h"
#include "eventstore/types.h"
#include "upcasters/model/shaped_event.h"

namespace cairn::api {

// Appends an event, or one part of a split event, as clients see it, on one line. Numbers keep every digit.
// Opaque data is base64, beside "contentType". Fails with kCorruption when the part's plan cannot read the
// data; `to` then ends in the middle of the event.
Status append_event_json(std::string& to, const EventView& stored, const ShapedEvent& part);

// Appends {"stream","category","version","firstPosition","lastPosition","createdAt","updatedAt"}.
void append_stream_json(std::string& to, const StreamInfo& stream);

// Appends {"stream","firstVersion","lastVersion","firstPosition","lastPosition","alreadyApplied"}: the
// versions and positions that the events of one stream got. The numbers of a stream without new events are
// null.
void append_result_json(std::string& to, const StreamAppendResult& result, bool already_applied);

}  // namespace cairn::api
