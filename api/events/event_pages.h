#pragma once

#include <string>

#include "api/events/event_source.h"
#include "api/events/wanted_events.h"
#include "api/http/problem.h"
#include "eventstore/base/work_budget.h"

namespace cairn::api {

// One page of events, as a whole answer. Limits count stored events, so the parts of a split event are always
// on one page. A page ends early rather than become too large or take too long; `next` is where the next page
// begins. Both fail as the store does, when an event cannot be brought to the shape the client wants, and when
// `budget` has ended.

// {"events":[…],"next":…,"head":…}
Answered<HttpResponse> log_page(const EventSource& source, LogQuery query, const WantedEvents& wanted,
                                WorkBudget& budget);

// {"stream":…,"version":…,"events":[…],"next":…}
Answered<HttpResponse> stream_page(const EventSource& source, const std::string& stream, StreamQuery query,
                                   const WantedEvents& wanted, WorkBudget& budget);

}  // namespace cairn::api
