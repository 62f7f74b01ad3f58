#include "api/events/door_check.h"

#include <algorithm>
#include <string_view>
#include <vector>

#include "eventstore/json/json_text.h"
#include "upcasters/model/unreadable.h"

namespace cairn::api {

namespace {

// A request may have thousands of events; nobody waits for more than this.
constexpr std::size_t kFailuresMax = 100;

}  // namespace

bool DoorCheck::concerns(const AppendBody& body, const EventShapes& shapes) {
  if (shapes.upcasters().changes() == 0) return false;
  return std::any_of(body.schema_versions.begin(), body.schema_versions.end(),
                     [](std::uint32_t version) { return version != 0; });
}

DoorCheck::Outcome DoorCheck::run(std::chrono::milliseconds time_max) {
  using Clock = std::chrono::steady_clock;
  const auto end = Clock::now() + time_max;
  const ShaperPool::Loan shaper = shapes_.shapers().lend();
  for (; stream_ < body_.request.streams.size(); ++stream_, event_ = 0) {
    const StreamAppend& append = body_.request.streams[stream_];
    for (; event_ < append.events.size(); ++event_, ++index_) {
      const NewEvent& event = append.events[event_];
      const bool may_be_old = body_.schema_versions[index_] != 0 && event.schema.value != 0;
      if (!may_be_old || !shaper->runs_scripts(event.type, event.schema, Shape::latest())) continue;
      if (Clock::now() > end) return Outcome::kNotYet;
      ++tried_;
      const auto fault = try_event(*shaper, append.stream, event);
      if (!fault) continue;
      if (failed_++ == 0) first_ = "event " + std::to_string(index_) + " (" + event.type + "): " + *fault;
      failures_ += (failures_.empty() ? R"({"event":)" : R"(,{"event":)") + std::to_string(index_);
      failures_ += R"(,"error":)";
      append_json_string(failures_, *fault);
      failures_ += '}';
      if (failed_ == kFailuresMax) return Outcome::kRefused;
    }
  }
  return failed_ == 0 ? Outcome::kPassed : Outcome::kRefused;
}

std::optional<std::string> DoorCheck::try_event(Shaper& shaper, const std::string& stream,
                                                const NewEvent& event) const {
  // Where it will stand is not known yet: scripts see zeros.
  const std::vector<std::string_view> tags(event.tags.begin(), event.tags.end());
  EventView view;
  view.stream = stream;
  view.type = event.type;
  if (event.id) view.id = *event.id;
  view.schema = event.schema;
  view.recorded_at = system_time();
  view.data = event.data;
  view.metadata = event.metadata;
  view.tags = tags;
  if (const auto fault = shaper.shape(view, Shape::latest())) return fault->message;
  for (const ShapedEvent& part : shaper.parts()) {
    NullSink nothing;
    if (part.plan == nullptr) continue;
    if (const Status status = part.read(nothing); !status) {
      return unreadable(view, part, status.error()).message;
    }
  }
  return std::nullopt;
}

Problem DoorCheck::problem() const {
  return Problem(422, "upcaster-failed", "The upcaster fails on the data",
                 "The events could be stored, but not be read in their newest version: " + first_ +
                     ". Nothing was stored.")
      .with_json("failures", "[" + failures_ + "]")
      .with("checked", tried_)
      .with("failed", failed_);
}

}  // namespace cairn::api
