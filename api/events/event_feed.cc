#include "api/events/event_feed.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "api/events/event_json.h"
#include "api/http/server_log.h"
#include "api/serving/shape_problem.h"
#include "eventstore/json/json_writer.h"

namespace cairn::api {

namespace {

constexpr std::size_t kPieceEvents = 512;

// JSON is larger than the stored bytes, and an upcaster may split one event into many: a page that exceeds
// this is sent in several pieces.
constexpr std::size_t kJsonBytesMax = 16 * EventFeed::kPieceBytes;

std::string on_one_line(std::string text) {
  std::replace_if(
      text.begin(), text.end(), [](char c) { return c == '\n' || c == '\r'; }, ' ');
  return text;
}

}  // namespace

EventFeed::EventFeed(std::unique_ptr<EventCursor> cursor, FeedFormat format, std::uint64_t limit,
                     GlobalPosition head, const EventSource& source, WantedEvents wanted, Now now)
    : cursor_(std::move(cursor)),
      format_(format),
      left_(limit),
      head_(head),
      source_(source),
      wanted_(std::move(wanted)),
      now_(std::move(now)),
      last_id_(cursor_->read_through()),
      id_sent_at_(now_()) {}

EventFeed::~EventFeed() { stop_waiting(); }

BodySource::Piece EventFeed::next(std::string& to, WorkBudget& budget) {
  if (broken_off_) return Piece::kFailed;
  const std::size_t before = to.size();
  if (sent_ == page_.size()) {
    const std::size_t limit = static_cast<std::size_t>(std::min<std::uint64_t>(left_, kPieceEvents));
    auto page = cursor_->next(limit, kPieceBytes, budget);
    if (!page) {
      server_log(LogEvent(LogLevel::kError, "feed-failed",
                          fmt::format("Sending events failed behind position {}: {}",
                                      cursor_->read_through().value, page.error().message))
                     .with("position", cursor_->read_through().value)
                     .with("error", page.error().message));
      return Piece::kFailed;
    }
    page_ = *std::move(page);
    sent_ = 0;
  }
  if (!page_.empty()) {
    const Piece sent = send_page(to, budget);
    if (sent != Piece::kWait) return sent;
  }
  page_ = EventPage();
  sent_ = 0;
  if (to.size() > before) {
    id_sent_at_ = now_();
  } else if (format_ != FeedFormat::kLines) {
    append_resume_point(to);
  }
  caught_up_ = cursor_->at_end();
  if (left_ == 0) return Piece::kEnd;
  if (format_ == FeedFormat::kLines && cursor_->has_passed(head_)) return Piece::kEnd;
  if (!caught_up_) return Piece::kMore;
  return format_ == FeedFormat::kLines ? Piece::kEnd : Piece::kWait;
}

BodySource::Piece EventFeed::send_page(std::string& to, WorkBudget& budget) {
  PageShaper shaper(source_.shapes.shapers(), wanted_);
  while (sent_ < page_.size()) {
    const EventView& event = page_[sent_];
    if (format_ == FeedFormat::kLines && event.position > head_) {
      // Backward the events that were appended since the request come first, and the others follow.
      if (wanted_.direction == Direction::kForward) return Piece::kEnd;
      ++sent_;
      continue;
    }
    if (!wanted_.covers(event.recorded_at)) {
      ++sent_;
      continue;
    }
    const std::size_t before = to.size();
    if (const auto appended = append(to, event, shaper); !appended) {
      to.resize(before);
      return break_off(to, appended.error());
    }
    ++sent_;
    --left_;
    // Charged after the event, so that each piece gets further, even with a budget that has ended. Scripts take
    // long: after one of them the clocks are looked at.
    const bool may_continue =
        budget.charge(shaper.script_ran() ? WorkBudget::kStepsBetweenChecks
                                          : 1 + event.data.size() / PageShaper::kBytesPerStep);
    const bool is_full = to.size() > kJsonBytesMax || shaper.has_taken_long();
    if (sent_ < page_.size() && (is_full || !may_continue)) return Piece::kMore;
  }
  return Piece::kWait;
}

ShapeResult<void> EventFeed::append(std::string& to, const EventView& stored, PageShaper& shaper) {
  return shaper.each_part(stored, [&](const ShapedEvent& part, bool is_last) -> Status {
    if (format_ == FeedFormat::kLines) {
      CAIRN_CHECK(append_event_json(to, stored, part));
      to += '\n';
      return {};
    }
    // Only the last part has an id: a client that loses the connection between two parts gets all of them
    // again.
    if (is_last) {
      to += "id: ";
      append_number(to, stored.position.value);
      to += '\n';
      last_id_ = stored.position;
    }
    if (format_ == FeedFormat::kServerSent) to.append("event: ").append(part.type).append("\n");
    to += "data: ";
    CAIRN_CHECK(append_event_json(to, stored, part));
    to += "\n\n";
    return {};
  });
}

// REQUIRES: every event that the cursor has returned is sent.
void EventFeed::append_resume_point(std::string& to) {
  const auto now = now_();
  const GlobalPosition through = cursor_->read_through();
  if (through <= last_id_ || now - id_sent_at_ < kResumeInterval) return;
  to += "id: ";
  append_number(to, through.value);
  to += "\n\n";
  last_id_ = through;
  id_sent_at_ = now;
}

// The status is sent already. The feed sends the events before the failure and then closes the connection in
// the middle of the body; a client of server-sent events gets the reason in a comment first.
BodySource::Piece EventFeed::break_off(std::string& to, const ShapeFault& fault) {
  server_log(LogEvent(LogLevel::kError, "feed-broken-off", "Sending events failed at " + describe(fault))
                 .with("position", fault.position.value)
                 .with("stream", fault.stream)
                 .with("error", fault.message));
  source_.metrics.shape_failed();
  if (format_ != FeedFormat::kLines) {
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
  ticket_ = source_.wakeups.wake_at(cursor_->more_at(), std::move(ready));
}

void EventFeed::stop_waiting() {
  if (ticket_ != 0) source_.wakeups.cancel(std::exchange(ticket_, 0));
}

}  // namespace cairn::api
