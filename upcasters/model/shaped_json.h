#pragma once

#include <cstddef>
#include <string>

#include "eventstore/base/result.h"
#include "eventstore/types.h"
#include "upcasters/model/shaped_event.h"

namespace cairn {

// Appends the data of an event as JSON on one line; opaque data as base64 in a string. Numbers keep every digit.
// Fails with kCorruption when the part's plan cannot read the data.
Status append_data_json(const ShapedEvent& part, std::string& to);

// An event in a report: {"position","stream","version","id","type","recordedAt","metadata","data"}. The data is the
// part's, or null when it cannot be read or its text has more than `data_bytes_max`; then "dataBytes" has the
// length of the text, or of the stored bytes. Metadata above that is null too.
std::string reported_event_json(const EventView& stored, const ShapedEvent& part, std::size_t data_bytes_max);

}  // namespace cairn
