#include "upcasters/deploy/append_hold.h"

#include <algorithm>
#include <utility>

namespace cairn {

bool AppendHold::wait(const std::vector<std::string_view>& types, std::function<void()> then) {
  const MutexLock lock(mutex_);
  const bool held =
      std::any_of(types.begin(), types.end(), [this](std::string_view type) CAIRN_REQUIRES(mutex_) {
        return std::find(types_.begin(), types_.end(), type) != types_.end();
      });
  if (held) waiting_.push_back(std::move(then));
  return held;
}

void AppendHold::begin(std::vector<std::string> types, std::chrono::milliseconds time_max) {
  const MutexLock lock(mutex_);
  if (!types_.empty()) return;
  types_ = std::move(types);
  over_at_ = Clock::now() + time_max;
  active_.store(true, std::memory_order_release);
}

void AppendHold::end_if_over() {
  if (!active()) return;
  {
    const MutexLock lock(mutex_);
    if (Clock::now() < over_at_) return;
  }
  end();
}

void AppendHold::end() {
  std::vector<std::function<void()>> waited;
  {
    const MutexLock lock(mutex_);
    active_.store(false, std::memory_order_release);
    types_.clear();
    waited.swap(waiting_);
  }
  for (const auto& then : waited) then();
}

}  // namespace cairn
