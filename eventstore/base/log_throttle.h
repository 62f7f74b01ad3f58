#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "eventstore/base/clock.h"
#include "eventstore/base/log_event.h"

namespace cairn {

// Decides which lines of one kind are logged: the first at once, then at most one a minute, with the number of
// lines that were suppressed since the last one. The caller supplies the clock. Not thread-safe.
class LogThrottle {
 public:
  static constexpr std::chrono::minutes kInterval{1};

  // nullopt when the line must not be logged; else how many were suppressed since the last one.
  std::optional<std::uint64_t> take(Timestamp now) {
    if (!is_due(now)) {
      ++suppressed_;
      return std::nullopt;
    }
    last_ = now;
    return std::exchange(suppressed_, 0);
  }

  // Whether a line may be logged now. A clock that was set back makes it due.
  bool is_due(Timestamp now) const {
    return !last_ || now < *last_ ||
           now.micros - last_->micros >= std::chrono::microseconds(kInterval).count();
  }

  // Counts lines that the caller suppressed itself.
  void suppress(std::uint64_t lines) { suppressed_ += lines; }
  std::uint64_t suppressed() const { return suppressed_; }

 private:
  std::optional<Timestamp> last_;
  std::uint64_t suppressed_ = 0;
};

// One LogThrottle for each key, of which a client may make any number: beyond `keys_max` in a minute the others
// share one. Not thread-safe.
class KeyedLogThrottle {
 public:
  explicit KeyedLogThrottle(std::size_t keys_max) : keys_max_(keys_max) {}

  // As LogThrottle::take(), for the lines of this key.
  std::optional<std::uint64_t> take(std::string_view key, Timestamp now) {
    const auto found = keys_.find(key);
    if (found != keys_.end()) return found->second.take(now);
    if (keys_.size() >= keys_max_) drop_due(now);
    if (keys_.size() >= keys_max_) return others_.take(now);
    return keys_[std::string(key)].take(now);
  }

  std::size_t size() const { return keys_.size(); }

 private:
  // A key that is due says nothing but how many lines it has suppressed.
  void drop_due(Timestamp now) {
    std::erase_if(keys_, [&](const auto& known) {
      if (!known.second.is_due(now)) return false;
      others_.suppress(known.second.suppressed());
      return true;
    });
  }

  const std::size_t keys_max_;
  std::map<std::string, LogThrottle, std::less<>> keys_;
  LogThrottle others_;
};

// " (3 similar lines suppressed)", or nothing.
std::string suppressed_text(std::uint64_t suppressed);

// Adds that text to the message, and the number as `suppressed`, unless it is 0.
void add_suppressed(LogEvent& event, std::uint64_t suppressed);

}  // namespace cairn
