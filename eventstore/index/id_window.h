#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "eventstore/base/mutex.h"
#include "eventstore/index/tail.h"
#include "eventstore/types.h"

namespace cairn {

// Decides which event ids are still kept: those of the last days by the clock, and of the last days on which
// there were appends. The second rule is for a clock that was far ahead for a moment: by the first rule alone
// one append at a wrong time would drop every id. See docs/decisions.md, "Ids are dropped by days that were
// lived through". Thread-safe.
class IdWindow {
 public:
  // Bounds how many days with appends are remembered, and so how far a start reads back in the log.
  static constexpr std::size_t kDaysWithAppendsMax = 32;

  // `days` is StoreOptions::dedup_window_days; nullopt = ids are kept for ever.
  explicit IdWindow(std::optional<std::uint32_t> days) : days_(days) {}

  // How many of the newest days with appends keep their ids whatever the clock says: those of the window, the
  // present one, and one at a wrong time.
  std::size_t days_needed() const {
    return days_ ? std::min<std::size_t>(std::size_t{*days_} + 2, kDaysWithAppendsMax) : 0;
  }

  // There is a block of this day. REQUIRES: days come in ascending order.
  void add(std::uint32_t day) CAIRN_EXCLUDES(mutex_) {
    const MutexLock lock(mutex_);
    if (!recent_.empty() && recent_.back() == day) return;
    recent_.push_back(day);
    if (recent_.size() > days_needed()) recent_.erase(recent_.begin());
  }

  // The first day whose ids are kept at the time `now`; 0 = all are kept.
  std::uint32_t first_day(Timestamp now) const CAIRN_EXCLUDES(mutex_) {
    const std::uint32_t today = day_of(now);
    if (!days_ || *days_ >= today) return 0;
    const MutexLock lock(mutex_);
    if (recent_.size() < days_needed()) return 0;
    return std::min(today - *days_, recent_.front());
  }

 private:
  const std::optional<std::uint32_t> days_;
  mutable Mutex mutex_;
  std::vector<std::uint32_t> recent_ CAIRN_GUARDED_BY(mutex_);  // ascending, without repetition
};

}  // namespace cairn
