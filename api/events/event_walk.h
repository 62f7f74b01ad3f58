#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "eventstore/event_store.h"

namespace cairn::api {

// Goes through the events of the log or of one stream, page by page. Nothing of the store is held between two
// pages. One thread at a time.
class EventWalk {
 public:
  virtual ~EventWalk() = default;

  // The next events; perhaps none.
  virtual Result<EventPage> next(std::size_t limit, std::size_t bytes_max) = 0;

  // Whether the last page went to the end of what there was. Walking on may find more later.
  virtual bool at_end() const = 0;

  // At the end: there can be more once the log's head is here.
  virtual GlobalPosition more_at() const = 0;
};

// Asked before each page, since a walk may last for days: may change which events are looked for from there.
using RenewFilter = std::function<void(EventFilter& filter)>;

// REQUIRES: `store` outlives the walk.
std::unique_ptr<EventWalk> walk_log(EventStore& store, LogQuery query, RenewFilter renew = {});
std::unique_ptr<EventWalk> walk_stream(EventStore& store, std::string stream, StreamQuery query);

// The first version of a stream that stands behind `position` in the log; one beyond its newest when none
// does. kNotFound when there is no such stream.
Result<StreamVersion> first_version_behind(EventStore& store, const std::string& stream,
                                           GlobalPosition position);

}  // namespace cairn::api
