#include "api/events/event_feed.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <utility>

#include "api/events/event_json.h"

namespace cairn::api {

namespace {

constexpr std::size_t kPieceEvents = 512;

}  // namespace

EventFeed::EventFeed(std::unique_ptr<EventWalk> walk, FeedFormat format, std::uint64_t limit,
                     GlobalPosition head, NewsBell& bell, EventCodecs& codecs)
    : walk_(std::move(walk)), format_(format), left_(limit), head_(head), bell_(bell), codecs_(codecs) {}

EventFeed::~EventFeed() { stop_waiting(); }

BodySource::Piece EventFeed::next(std::string& to) {
  const auto page =
      walk_->next(static_cast<std::size_t>(std::min<std::uint64_t>(left_, kPieceEvents)), kPieceBytes);
  if (!page) return broken_off(page.error());
  for (const EventView& event : *page) {
    if (format_ == FeedFormat::kLines && event.position > head_) return Piece::kEnd;
    if (const Status status = append(to, event); !status) return broken_off(status.error());
  }
  left_ -= page->size();
  if (left_ == 0) return Piece::kEnd;
  if (!walk_->at_end()) return Piece::kMore;
  return format_ == FeedFormat::kServerSent ? Piece::kWait : Piece::kEnd;
}

// The client sees only that the answer breaks off: its status went out long ago.
BodySource::Piece EventFeed::broken_off(const Error& error) const {
  spdlog::error("Sending events was broken off: {}", error.message);
  return Piece::kFailed;
}

Status EventFeed::append(std::string& to, const EventView& event) const {
  if (format_ == FeedFormat::kLines) {
    CAIRN_CHECK(append_event_json(to, event, codecs_));
    to += '\n';
    return {};
  }
  to += "id: ";
  append_number(to, event.position.value);
  to.append("\nevent: ").append(event.type).append("\ndata: ");
  CAIRN_CHECK(append_event_json(to, event, codecs_));
  to += "\n\n";
  return {};
}

void EventFeed::when_ready(std::function<void()> ready) {
  ticket_ = bell_.ring_at(walk_->more_at(), std::move(ready));
}

void EventFeed::stop_waiting() {
  if (ticket_ != 0) bell_.cancel(std::exchange(ticket_, 0));
}

}  // namespace cairn::api
