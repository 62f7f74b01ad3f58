#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <span>

#include "api/events/wanted_events.h"
#include "eventstore/base/result.h"
#include "upcasters/model/unreadable.h"
#include "upcasters/shaping/shaper_pool.h"

namespace cairn::api {

// Brings the events of one page, or one piece of an answer, into the shape a client wants. Holds a shaper
// lease, which ends before the answer waits for the client.
class PageShaper {
 public:
  // Scripts run on a thread of the server. After this time the page or piece ends, so that other connections
  // of the thread are served.
  static constexpr std::chrono::milliseconds kScriptTimeMax{250};

  // Of event data, per step of a WorkBudget.
  static constexpr std::size_t kBytesPerStep = 64;

  // REQUIRES: both outlive it.
  PageShaper(ShaperPool& shapers, const WantedEvents& wanted) : shaper_(shapers.lease()), wanted_(wanted) {}

  // Calls `write(part, is_last)` for what becomes of an event and is wanted, in the direction of reading:
  // mostly once, and never for an event that was dropped. `write` fails when the data cannot be read. Says
  // why it ended early.
  template <typename Write>
  ShapeResult<void> each_part(const EventView& stored, Write&& write) {
    CAIRN_CHECK(shaper_->shape(stored, wanted_.shape));
    const std::span<const ShapedEvent> parts = shaper_->parts();
    script_ran_ = parts.size() != 1 || parts[0].data.data() != stored.data.data();
    std::size_t left = count_wanted(stored, parts);
    for (std::size_t i = 0; left > 0; ++i) {
      const bool backward = wanted_.direction == Direction::kBackward;
      const ShapedEvent& part = parts[backward ? parts.size() - 1 - i : i];
      if (!wanted_.takes(stored, part.type)) continue;
      --left;
      if (const Status status = write(part, left == 0); !status) {
        return unreadable(stored, part, status.error());
      }
    }
    return {};
  }

  // Whether a script ran for the last event.
  bool script_ran() const { return script_ran_; }

  // Whether the page should end here, because scripts have run for kScriptTimeMax.
  bool has_taken_long() const { return script_ran_ && Clock::now() - began_ > kScriptTimeMax; }

 private:
  using Clock = std::chrono::steady_clock;

  std::size_t count_wanted(const EventView& stored, std::span<const ShapedEvent> parts) const {
    std::size_t count = 0;
    for (const ShapedEvent& part : parts) count += wanted_.takes(stored, part.type) ? 1 : 0;
    return count;
  }

  const ShaperPool::Lease shaper_;
  const WantedEvents& wanted_;
  const Clock::time_point began_ = Clock::now();
  bool script_ran_ = false;  // for the last event
};

}  // namespace cairn::api
