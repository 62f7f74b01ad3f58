#include "api/events/event_pages.h"

#include <fmt/format.h>

#include <optional>
#include <utility>

#include "api/events/event_json.h"
#include "api/events/page_shaper.h"
#include "api/serving/shape_problem.h"
#include "api/serving/store_problem.h"
#include "eventstore/json/json_writer.h"

namespace cairn::api {

namespace {

constexpr std::size_t kStoredBytesMax = 4u << 20;

// JSON is larger than the stored bytes, and an upcaster may split one event into many.
constexpr std::size_t kPageJsonBytesMax = 4 * kStoredBytesMax;

// The events of a page that is being written.
class EventList {
 public:
  // REQUIRES: `json` writes to `text`; all outlive it.
  EventList(const EventSource& source, const WantedEvents& wanted, JsonWriter& json, std::string& text,
            WorkBudget& budget)
      : source_(source), wanted_(wanted), json_(json), text_(text), budget_(budget) {}

  // Writes "events":[…]. Fails when an event cannot be brought to the shape that the client wants.
  Answered<void> write(const EventPage& events) {
    json_.begin_array("events");
    if (!events.empty()) {
      if (const auto written = write_all(events); !written) {
        source_.metrics.shape_failed();
        return shape_problem(written.error());
      }
      if (budget_.has_ended()) {
        return store_problem(
            budget_.error(fmt::format("{} of {} events of the page were read", written_, events.size())));
      }
    }
    json_.end_array();
    return {};
  }

  // The first event that is not on the page; nullptr when all are.
  const EventView* left_out() const { return left_out_; }

 private:
  ShapeResult<void> write_all(const EventPage& events) {
    PageShaper shaper(source_.shapes.shapers(), wanted_);
    const std::size_t began = text_.size();
    for (const EventView& stored : events) {
      if (text_.size() - began > kPageJsonBytesMax || shaper.has_taken_long()) {
        left_out_ = &stored;
        break;
      }
      if (!budget_.charge(1 + stored.data.size() / PageShaper::kBytesPerStep)) break;
      ++written_;
      if (!wanted_.covers(stored.recorded_at)) continue;
      CAIRN_CHECK(shaper.each_part(stored, [&](const ShapedEvent& part, bool) {
        json_.element();
        return append_event_json(text_, stored, part);
      }));
    }
    return {};
  }

  const EventSource& source_;
  const WantedEvents& wanted_;
  JsonWriter& json_;
  std::string& text_;
  WorkBudget& budget_;
  std::size_t written_ = 0;
  const EventView* left_out_ = nullptr;
};

}  // namespace

Answered<HttpResponse> log_page(const EventSource& source, LogQuery query, const WantedEvents& wanted,
                                WorkBudget& budget) {
  query.bytes_max = kStoredBytesMax;
  const auto page = source.store.read_log(query);
  if (!page) return store_problem(page.error());
  std::string text;
  JsonWriter json(text);
  json.begin_object();
  EventList events(source, wanted, json, text, budget);
  CAIRN_CHECK(events.write(page->events));
  auto next = page->next;
  if (events.left_out() != nullptr) next = events.left_out()->position;
  json.number("next", next ? std::optional(next->value) : std::nullopt);
  json.number("head", page->head.value);
  json.end_object();
  return json_response(200, std::move(text));
}

Answered<HttpResponse> stream_page(const EventSource& source, const std::string& stream, StreamQuery query,
                                   const WantedEvents& wanted, WorkBudget& budget) {
  query.bytes_max = kStoredBytesMax;
  const auto page = source.store.read_stream(stream, query);
  if (!page) return store_problem(page.error());
  std::string text;
  JsonWriter json(text);
  json.begin_object();
  json.text("stream", stream);
  json.number("version", page->version.value);
  EventList events(source, wanted, json, text, budget);
  CAIRN_CHECK(events.write(page->events));
  auto next = page->next;
  if (events.left_out() != nullptr) next = events.left_out()->version;
  json.number("next", next ? std::optional(next->value) : std::nullopt);
  json.end_object();
  return json_response(200, std::move(text));
}

}  // namespace cairn::api
