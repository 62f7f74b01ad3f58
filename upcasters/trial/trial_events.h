#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "eventstore/base/result.h"
#include "eventstore/event_page.h"
#include "upcasters/model/shape_fault.h"
#include "upcasters/model/shaped_event.h"

namespace cairn {

class JsonCursor;

// The most events of one trial of a script.
inline constexpr std::size_t kTrialEventsMax = 10'000;

// The events that a script is tried on: given by the caller, or read from the log.
struct TrialEvents {
  // What a given event says about itself beside the event.
  struct Given {
    bool has_position = false;
    std::uint32_t schema_version = 0;  // 0: it does not say
  };

  EventPage events;
  std::vector<Given> given;  // one for each event; empty for events of the log
  bool complete = true;      // false: there are more that were asked for

  bool has_position(std::size_t index) const { return given.empty() || given[index].has_position; }
};

// Brings an event into the shape that the script gets. The parts live until the next call.
using ShapeForTrial = std::function<ShapeResult<std::span<const ShapedEvent>>(const EventView& event)>;

// Takes given events as they are: their data is JSON in the newest shape, or opaque.
ShapeForTrial shape_given();

// Collects given events, one JSON object each, in the form in which events are appended and read:
//   {"stream","type","data","metadata","tags","id","position","version","recordedAt","contentType",…}
// `stream` and `type` are required. What else is missing is filled in: a position behind that of the event before,
// the next version of the stream, an id made of the index, 1970 as the time. Not thread-safe.
class GivenEvents {
 public:
  // `stream`: of events that name none; "" when each has to.
  explicit GivenEvents(std::string stream = "") : stream_(std::move(stream)) {}

  // Takes the object at the cursor. Fails with kInvalidArgument, whose message begins with the field, as
  // "events[3].stream", and kTooLarge. REQUIRES: check_json() found no fault in the text.
  Status take(JsonCursor& cursor);

  TrialEvents finish() { return std::move(taken_); }

 private:
  const std::string stream_;
  TrialEvents taken_;
  std::uint64_t last_position_ = 0;
  std::map<std::string, std::uint64_t, std::less<>> versions_;  // the last one of each stream
};

}  // namespace cairn
