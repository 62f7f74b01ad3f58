#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "api/events/event_walk.h"
#include "api/events/news_bell.h"
#include "api/http/body_source.h"
#include "schemaregistry/events/event_codecs.h"

namespace cairn::api {

enum class FeedFormat {
  kLines,       // one event a line (NDJSON); ends where the events end
  kServerSent,  // server-sent events; goes on with what is appended later, and never ends
};

// Events as the body of an answer, read while they are sent. A slow client holds one piece of at most
// kPieceBytes (or one event, if that is larger), and neither a thread nor a read transaction.
class EventFeed final : public BodySource {
 public:
  static constexpr std::size_t kPieceBytes = 64u << 10;

  // Sends at most `limit` events; as lines, none that stands behind `head`, or who reads slower than others
  // write would never come to the end. REQUIRES: `bell` and `codecs` outlive the feed.
  EventFeed(std::unique_ptr<EventWalk> walk, FeedFormat format, std::uint64_t limit, GlobalPosition head,
            NewsBell& bell, EventCodecs& codecs);
  ~EventFeed() override;

  Piece next(std::string& to) override;
  void when_ready(std::function<void()> ready) override;
  void stop_waiting() override;
  std::string_view sign_of_life() const override { return ":\n\n"; }

 private:
  Status append(std::string& to, const EventView& event) const;
  Piece broken_off(const Error& error) const;

  const std::unique_ptr<EventWalk> walk_;
  const FeedFormat format_;
  std::uint64_t left_;
  const GlobalPosition head_;
  NewsBell& bell_;
  EventCodecs& codecs_;
  std::uint64_t ticket_ = 0;
};

}  // namespace cairn::api
