#pragma once

#include <atomic>
#include <chrono>

#include "eventstore/base/assert.h"
#include "eventstore/base/error.h"

namespace cairn {

// Ends the work on a projection before it is done: when the daemon stops, when a command waits for the step under
// way, and when a step takes long. A step that is ended is repeated with a shorter batch (BatchPace). Thread-safe.
class Interruption {
 public:
  // REQUIRES: `stopping` outlives it.
  explicit Interruption(const std::atomic<bool>& stopping) : stopping_(stopping) {}
  Interruption(const Interruption&) = delete;
  Interruption& operator=(const Interruption&) = delete;

  // A command that waits for the step under way, or runs.
  class Command {
   public:
    explicit Command(Interruption& interruption) : interruption_(interruption) { ++interruption_.commands_; }
    ~Command() { --interruption_.commands_; }
    Command(const Command&) = delete;
    Command& operator=(const Command&) = delete;

   private:
    Interruption& interruption_;
  };
  bool has_command() const { return commands_.load(std::memory_order_relaxed) > 0; }

  // A step that may be ended, because it can be repeated with a shorter batch. Outside of one only a stop ends the
  // work. One at a time.
  class Step {
   public:
    explicit Step(Interruption& interruption) : interruption_(interruption) {
      interruption_.began_ = Clock::now();
      interruption_.in_step_ = true;
    }
    ~Step() { interruption_.in_step_ = false; }
    Step(const Step&) = delete;
    Step& operator=(const Step&) = delete;

   private:
    Interruption& interruption_;
  };

  // Asked by a loop once for each event. Belongs to one thread.
  class Poll {
   public:
    explicit Poll(const Interruption& interruption) : interruption_(interruption) {}

    // Whether the work is to end now.
    bool operator()() {
      if (interruption_.stopping_.load(std::memory_order_relaxed)) return true;
      const bool awaited = interruption_.has_command();
      // Reading the clock for each event would cost a native projection a few percent.
      if (!awaited && ++events_ % kEventsBetweenClocks != 0) return false;
      return interruption_.takes_longer_than(awaited ? kAwaitedStepMax : kStepMax);
    }

   private:
    static constexpr unsigned kEventsBetweenClocks = 16;
    const Interruption& interruption_;
    unsigned events_ = 0;
  };

  static Error error() { return make_error(Errc::kCancelled, "the step was interrupted"); }

 private:
  using Clock = std::chrono::steady_clock;

  // How long a step goes on while a command waits for it, and without one. The second bounds how far behind the
  // status of a slow projection is, and what a stop or a command throws away.
  static constexpr std::chrono::milliseconds kAwaitedStepMax{250};
  static constexpr std::chrono::milliseconds kStepMax{5'000};

  bool takes_longer_than(std::chrono::milliseconds time) const {
    return in_step_.load(std::memory_order_acquire) && Clock::now() - began_.load() > time;
  }

  const std::atomic<bool>& stopping_;
  std::atomic<int> commands_ = 0;
  std::atomic<bool> in_step_ = false;
  std::atomic<Clock::time_point> began_ = Clock::time_point();
};

}  // namespace cairn
