#include "api/events/upcast_trial.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <vector>

#include "eventstore/json/json_writer.h"
#include "upcasters/model/unreadable.h"

namespace cairn::api {

namespace {

// A request may have thousands of events. The trial ends after this many failures.
constexpr std::size_t kFailuresMax = 100;

}  // namespace

bool UpcastTrial::needed_for(const AppendBody& body, const EventShapes& shapes) {
  if (shapes.upcasters().changes() == 0) return false;
  return std::any_of(body.schema_versions.begin(), body.schema_versions.end(),
                     [](std::uint32_t version) { return version != 0; });
}

UpcastTrial::Outcome UpcastTrial::run(std::chrono::milliseconds time_max) {
  using Clock = std::chrono::steady_clock;
  const auto end = Clock::now() + time_max;
  const ShaperPool::Lease shaper = shapes_.shapers().lease();
  for (; stream_ < body_.request.streams.size(); ++stream_, event_ = 0) {
    const StreamAppend& append = body_.request.streams[stream_];
    for (; event_ < append.events.size(); ++event_, ++index_) {
      const NewEvent& event = append.events[event_];
      const bool may_be_old = body_.schema_versions[index_] != 0 && event.schema.value != 0;
      if (!may_be_old || !shaper->runs_scripts(event.type, event.schema, Shape::latest())) continue;
      if (Clock::now() > end) return Outcome::kNotYet;
      ++tried_;
      auto fault = try_event(*shaper, append.stream, event);
      if (!fault) continue;
      failures_.push_back({index_, event.type, *std::move(fault)});
      if (failures_.size() == kFailuresMax) return Outcome::kRefused;
    }
  }
  return failures_.empty() ? Outcome::kPassed : Outcome::kRefused;
}

std::optional<std::string> UpcastTrial::try_event(Shaper& shaper, const std::string& stream,
                                                  const NewEvent& event) const {
  // Position, version and time are not known before the append.
  const std::vector<std::string_view> tags(event.tags.begin(), event.tags.end());
  EventView view;
  view.stream = stream;
  view.type = event.type;
  if (event.id) view.id = *event.id;
  view.schema = event.schema;
  view.data = event.data;
  view.metadata = event.metadata;
  view.tags = tags;
  if (const auto shaped = shaper.shape(view, Shape::latest()); !shaped) return shaped.error().message;
  for (const ShapedEvent& part : shaper.parts()) {
    NullSink nothing;
    if (part.plan == nullptr) continue;
    if (const Status status = part.read(nothing); !status) {
      return unreadable(view, part, status.error()).message;
    }
  }
  return std::nullopt;
}

Problem UpcastTrial::problem() const {
  CAIRN_ASSERT(!failures_.empty());  // REQUIRES
  const Failure& first = failures_.front();
  std::string list;
  JsonWriter json(list);
  json.begin_array();
  for (const Failure& failure : failures_) {
    json.begin_object();
    json.number("event", failure.event);
    json.text("error", failure.message);
    json.end_object();
  }
  json.end_array();
  return Problem(
             422, "upcaster-failed", "The upcaster fails on the data",
             fmt::format("The events could be stored, but not read in their newest version: event {} ({}): "
                         "{}. Nothing was stored.",
                         first.event, first.type, first.message))
      .with_json("failures", std::move(list))
      .with("checked", tried_)
      .with("failed", failures_.size());
}

}  // namespace cairn::api
