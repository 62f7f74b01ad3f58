#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "api/events/event_cursor.h"
#include "api/events/event_source.h"
#include "api/events/page_shaper.h"
#include "api/events/wanted_events.h"
#include "api/http/body_source.h"

namespace cairn::api {

enum class FeedFormat {
  kLines,       // one event per line (NDJSON); ends after the last event
  kServerSent,  // server-sent events; continues with events that are appended later, and never ends
  kUnnamed,     // the same without the line `event:`, so that browsers call onmessage
};

// Events as the body of an answer, read while they are sent. A slow client holds one piece of about
// kPieceBytes (or one event with its parts, if that is larger), and no thread, read transaction or shaper.
// Used by one thread at a time.
class EventFeed final : public BodySource {
 public:
  static constexpr std::size_t kPieceBytes = 64u << 10;

  // Server-sent events whose filter matches nothing get a resume point (an `id` without data) at most this
  // often, so that a client that reconnects does not have the same events scanned again.
  static constexpr std::chrono::seconds kResumeInterval{5};

  using Now = std::function<std::chrono::steady_clock::time_point()>;

  // Sends at most `limit` stored events. Lines leave out what is behind `head`: a client that reads more
  // slowly than others append would never reach the end. REQUIRES: the objects in `source` outlive the feed.
  EventFeed(std::unique_ptr<EventCursor> cursor, FeedFormat format, std::uint64_t limit, GlobalPosition head,
            const EventSource& source, WantedEvents wanted = {}, Now now = &std::chrono::steady_clock::now);
  ~EventFeed() override;

  Piece next(std::string& to, WorkBudget& budget) override;
  // A feed that has caught up sends events that were just written, which are in memory.
  bool may_take_long() const override { return !caught_up_; }
  void when_ready(std::function<void()> ready) override;
  void stop_waiting() override;
  std::string_view heartbeat() const override { return format_ == FeedFormat::kLines ? "" : ":\n\n"; }

 private:
  // Appends events of page_ to `to`, at least one. kWait when all of page_ is sent.
  Piece send_page(std::string& to, WorkBudget& budget);
  ShapeResult<void> append(std::string& to, const EventView& stored, PageShaper& shaper);
  void append_resume_point(std::string& to);
  Piece break_off(std::string& to, const ShapeFault& fault);

  const std::unique_ptr<EventCursor> cursor_;
  const FeedFormat format_;
  std::uint64_t left_;
  const GlobalPosition head_;
  const EventSource source_;
  const WantedEvents wanted_;
  const Now now_;
  GlobalPosition last_id_;                            // that the client has
  std::chrono::steady_clock::time_point id_sent_at_;  // or when the feed began
  EventPage page_;                                    // read and not yet sent; freed as soon as it is sent
  std::size_t sent_ = 0;                              // of page_
  bool caught_up_ = false;                            // the last piece reached the head
  bool broken_off_ = false;                           // an event failed; the events before it are being sent
  std::uint64_t ticket_ = 0;
};

}  // namespace cairn::api
