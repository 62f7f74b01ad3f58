#include "api/events/event_feed.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <utility>

#include "api/events/event_json.h"
#include "api/serving/shape_problem.h"
#include "eventstore/json/json_writer.h"

namespace cairn::api {

namespace {

constexpr std::size_t kPieceEvents = 512;

// JSON is larger than what is stored, and upcasters may make many events of one: then a page becomes several
// pieces.
constexpr std::size_t kJsonBytesMax = 16 * EventFeed::kPieceBytes;

std::string on_one_line(std::string text) {
  std::replace_if(
      text.begin(), text.end(), [](char c) { return c == '\n' || c == '\r'; }, ' ');
  return text;
}

}  // namespace

EventFeed::EventFeed(std::unique_ptr<EventWalk> walk, FeedFormat format, std::uint64_t limit,
                     GlobalPosition head, const EventSource& source, WantedEvents wanted)
    : walk_(std::move(walk)),
      format_(format),
      left_(limit),
      head_(head),
      source_(source),
      wanted_(std::move(wanted)) {}

EventFeed::~EventFeed() { stop_waiting(); }

BodySource::Piece EventFeed::next(std::string& to) {
  if (broken_off_) return Piece::kFailed;
  if (sent_ == page_.size()) {
    auto page =
        walk_->next(static_cast<std::size_t>(std::min<std::uint64_t>(left_, kPieceEvents)), kPieceBytes);
    if (!page) {
      spdlog::error("Sending events was broken off: {}", page.error().message);
      return Piece::kFailed;
    }
    page_ = *std::move(page);
    sent_ = 0;
  }
  if (!page_.empty()) {
    const Piece sent = send_page(to);
    if (sent != Piece::kWait) return sent;
  }
  page_ = EventPage();
  sent_ = 0;
  if (left_ == 0) return Piece::kEnd;
  if (!walk_->at_end()) return Piece::kMore;
  return format_ == FeedFormat::kServerSent ? Piece::kWait : Piece::kEnd;
}

BodySource::Piece EventFeed::send_page(std::string& to) {
  PageShaper shaper(source_.shapes.shapers(), wanted_);
  while (sent_ < page_.size()) {
    const EventView& event = page_[sent_];
    if (format_ == FeedFormat::kLines && event.position > head_) return Piece::kEnd;
    const std::size_t before = to.size();
    if (const auto fault = append(to, event, shaper)) {
      to.resize(before);
      return break_off(to, *fault);
    }
    ++sent_;
    --left_;
    if (sent_ < page_.size() && (to.size() > kJsonBytesMax || shaper.has_taken_long())) return Piece::kMore;
  }
  return Piece::kWait;
}

std::optional<ShapeFault> EventFeed::append(std::string& to, const EventView& stored,
                                            PageShaper& shaper) const {
  return shaper.each_part(stored, [&](const ShapedEvent& part, bool is_last) -> Status {
    if (format_ == FeedFormat::kLines) {
      CAIRN_CHECK(append_event_json(to, stored, part));
      to += '\n';
      return {};
    }
    // A client that is cut off between two parts has not dealt with the event: it gets all of them again.
    if (is_last) {
      to += "id: ";
      append_number(to, stored.position.value);
      to += '\n';
    }
    to.append("event: ").append(part.type).append("\ndata: ");
    CAIRN_CHECK(append_event_json(to, stored, part));
    to += "\n\n";
    return {};
  });
}

// The status went out long ago. What came before the event is sent; then the client sees that the answer
// breaks off, and of server-sent events also why.
BodySource::Piece EventFeed::break_off(std::string& to, const ShapeFault& fault) {
  spdlog::error("Sending events was broken off at {}", describe(fault));
  source_.metrics.shape_failed();
  if (format_ == FeedFormat::kServerSent) {
    const bool secret = fault.kind == ShapeFault::Kind::kCorruption;
    to += ": broken off at position ";
    append_number(to, fault.position.value);
    to += ": " + (secret ? std::string("the server's log has the reason") : on_one_line(fault.message)) +
          "\n\n";
  }
  broken_off_ = true;
  return Piece::kMore;
}

void EventFeed::when_ready(std::function<void()> ready) {
  ticket_ = source_.bell.ring_at(walk_->more_at(), std::move(ready));
}

void EventFeed::stop_waiting() {
  if (ticket_ != 0) source_.bell.cancel(std::exchange(ticket_, 0));
}

}  // namespace cairn::api
