#include "api/events/event_pages.h"

#include <optional>
#include <utility>

#include "api/events/event_json.h"
#include "api/events/page_shaper.h"
#include "api/serving/shape_problem.h"
#include "api/serving/store_problem.h"
#include "eventstore/json/json_text.h"
#include "eventstore/json/json_writer.h"

namespace cairn::api {

namespace {

constexpr std::size_t kStoredBytesMax = 4u << 20;

// JSON is larger than what is stored, and upcasters may make many events of one.
constexpr std::size_t kPageJsonBytesMax = 4 * kStoredBytesMax;

// The events of a page that is being written.
class EventList {
 public:
  EventList(const EventSource& source, const WantedEvents& wanted, std::string& json)
      : source_(source), wanted_(wanted), json_(json) {}

  // Writes "events":[…]. Says why when an event cannot be had.
  std::optional<Problem> write(const EventPage& events) {
    json_ += R"("events":[)";
    if (!events.empty()) {
      if (const auto fault = write_all(events)) {
        source_.metrics.shape_failed();
        return shape_problem(*fault);
      }
    }
    json_ += ']';
    return std::nullopt;
  }

  // The first event that had no place; nullptr when all had.
  const EventView* left_out() const { return left_out_; }

 private:
  std::optional<ShapeFault> write_all(const EventPage& events) {
    PageShaper shaper(source_.shapes.shapers(), wanted_);
    const std::size_t began = json_.size();
    for (const EventView& stored : events) {
      if (json_.size() - began > kPageJsonBytesMax || shaper.has_taken_long()) {
        left_out_ = &stored;
        break;
      }
      auto fault = shaper.each_part(stored, [&](const ShapedEvent& part, bool) {
        if (json_.size() > began) json_ += ',';
        return append_event_json(json_, stored, part);
      });
      if (fault) return fault;
    }
    return std::nullopt;
  }

  const EventSource& source_;
  const WantedEvents& wanted_;
  std::string& json_;
  const EventView* left_out_ = nullptr;
};

void append_next(std::string& json, std::optional<std::uint64_t> next) {
  json += R"(,"next":)";
  if (next) {
    append_number(json, *next);
  } else {
    json += "null";
  }
}

}  // namespace

HttpResponse log_page(const EventSource& source, LogQuery query, const WantedEvents& wanted) {
  query.bytes_max = kStoredBytesMax;
  const auto page = source.store.read_log(query);
  if (!page) return store_problem(page.error()).to_response();
  std::string json = "{";
  EventList events(source, wanted, json);
  if (const auto problem = events.write(page->events)) return problem->to_response();
  auto next = page->next;
  if (events.left_out() != nullptr) next = events.left_out()->position;
  append_next(json, next ? std::optional(next->value) : std::nullopt);
  json += R"(,"head":)";
  append_number(json, page->head.value);
  json += '}';
  return json_response(200, std::move(json));
}

HttpResponse stream_page(const EventSource& source, const std::string& stream, StreamQuery query,
                         const WantedEvents& wanted) {
  query.bytes_max = kStoredBytesMax;
  const auto page = source.store.read_stream(stream, query);
  if (!page) return store_problem(page.error()).to_response();
  std::string json = R"({"stream":)";
  append_json_string(json, stream);
  json += R"(,"version":)";
  append_number(json, page->version.value);
  json += ',';
  EventList events(source, wanted, json);
  if (const auto problem = events.write(page->events)) return problem->to_response();
  auto next = page->next;
  if (events.left_out() != nullptr) next = events.left_out()->version;
  append_next(json, next ? std::optional(next->value) : std::nullopt);
  json += '}';
  return json_response(200, std::move(json));
}

}  // namespace cairn::api
