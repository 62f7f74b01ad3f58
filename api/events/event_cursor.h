#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "eventstore/base/work_budget.h"
#include "eventstore/event_store.h"

namespace cairn::api {

// Reads the events of the log or of one stream, page by page. Holds no read transaction between two pages.
// Used by one thread at a time.
class EventCursor {
 public:
  virtual ~EventCursor() = default;

  // The next events, perhaps none, also before the end: a page of a filter ends after a bounded number of
  // steps, which are charged to `budget`, or when the budget has ended. Fails as the store's reads do.
  virtual Result<EventPage> next(std::size_t limit, std::size_t bytes_max, WorkBudget& budget) = 0;

  // Whether the last page reached the end of the log or stream. Later pages may have new events.
  virtual bool at_end() const = 0;

  // Whether all events of the pages to come are after `position` in the log. May be false although they are.
  virtual bool has_passed(GlobalPosition position) const = 0;

  // There can be new events once the log's head is at this position. REQUIRES: at_end().
  virtual GlobalPosition more_at() const = 0;

  // next() has returned every event through this position of the log: a client that has them resumes behind
  // it. 0 when that is not known yet.
  virtual GlobalPosition read_through() const = 0;
};

// Called before each page, because a cursor may live for days: may change the filters of the pages to come.
using RenewFilter = std::function<void(LogQuery& query)>;

// REQUIRES: `store` outlives the cursor.
std::unique_ptr<EventCursor> log_cursor(EventStore& store, LogQuery query, RenewFilter renew = {});
std::unique_ptr<EventCursor> stream_cursor(EventStore& store, std::string stream, StreamQuery query);

// The first version of a stream whose event is after `position` in the log; newest + 1 when there is none.
// Fails with kNotFound when the stream does not exist.
Result<StreamVersion> first_version_after(EventStore& store, const std::string& stream,
                                          GlobalPosition position);

}  // namespace cairn::api
