#pragma once

#include <string>

#include "api/events/event_source.h"
#include "api/events/wanted_events.h"
#include "api/http/http_message.h"

namespace cairn::api {

// One page of events, as a whole answer. Pages and what counts for them are of stored events, so what became
// several events is never cut apart. A page ends early rather than become too large or take too long; `next`
// says where to go on.

// {"events":[…],"next":…,"head":…}
HttpResponse log_page(const EventSource& source, LogQuery query, const WantedEvents& wanted);

// {"stream":…,"version":…,"events":[…],"next":…}
HttpResponse stream_page(const EventSource& source, const std::string& stream, StreamQuery query,
                         const WantedEvents& wanted);

}  // namespace cairn::api
