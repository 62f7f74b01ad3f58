#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "api/events/event_source.h"
#include "api/events/event_walk.h"
#include "api/events/page_shaper.h"
#include "api/events/wanted_events.h"
#include "api/http/body_source.h"

namespace cairn::api {

enum class FeedFormat {
  kLines,       // one event a line (NDJSON); ends where the events end
  kServerSent,  // server-sent events; goes on with what is appended later, and never ends
};

// Events as the body of an answer, read while they are sent. A slow client holds one piece of about
// kPieceBytes (or what becomes of one event, if that is larger), and neither a thread, a read transaction nor
// a shaper.
class EventFeed final : public BodySource {
 public:
  static constexpr std::size_t kPieceBytes = 64u << 10;

  // Sends at most `limit` stored events; as lines, none that stands behind `head`, or who reads slower than
  // others write would never come to the end. REQUIRES: what `source` refers to outlives the feed.
  EventFeed(std::unique_ptr<EventWalk> walk, FeedFormat format, std::uint64_t limit, GlobalPosition head,
            const EventSource& source, WantedEvents wanted = {});
  ~EventFeed() override;

  Piece next(std::string& to) override;
  void when_ready(std::function<void()> ready) override;
  void stop_waiting() override;
  std::string_view sign_of_life() const override { return ":\n\n"; }

 private:
  // kWait when all of page_ is sent.
  Piece send_page(std::string& to);
  std::optional<ShapeFault> append(std::string& to, const EventView& stored, PageShaper& shaper) const;
  Piece break_off(std::string& to, const ShapeFault& fault);

  const std::unique_ptr<EventWalk> walk_;
  const FeedFormat format_;
  std::uint64_t left_;
  const GlobalPosition head_;
  const EventSource source_;
  const WantedEvents wanted_;
  EventPage page_;           // what was read; let go as soon as it was sent
  std::size_t sent_ = 0;     // of page_
  bool broken_off_ = false;  // what came before is being sent
  std::uint64_t ticket_ = 0;
};

}  // namespace cairn::api
