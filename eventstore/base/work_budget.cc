#include "eventstore/base/work_budget.h"

#include <algorithm>
#include <ctime>
#include <string>

#include "eventstore/base/assert.h"

namespace cairn {

namespace {

std::chrono::nanoseconds thread_cpu_time() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return std::chrono::seconds(now.tv_sec) + std::chrono::nanoseconds(now.tv_nsec);
}

std::string in_ms(std::chrono::nanoseconds time) {
  return std::to_string(std::chrono::duration_cast<std::chrono::milliseconds>(time).count());
}

}  // namespace

WorkBudget::WorkBudget(const WorkLimits& limits, WorkBudget* parent)
    : parent_(parent), limits_(limits), begin_(std::chrono::steady_clock::now()) {}

WorkBudget::~WorkBudget() {
  CAIRN_ASSERT(!on_thread_);
  if (has_ended()) return;
  count(0);
  // What the parent answers is seen at its next charge.
  if (parent_ != nullptr) static_cast<void>(parent_->charge(checked_ - told_parent_));
}

bool WorkBudget::check(std::uint64_t steps) {
  if (has_ended()) return false;
  count(steps);
  end_ = find_end();
  if (has_ended()) {
    left_ = window_ = 0;
    return false;
  }
  left_ = window_ = std::min(kStepsBetweenChecks, limits_.steps - checked_) + 1;
  return true;
}

void WorkBudget::count(std::uint64_t steps) {
  checked_ += window_ - left_;
  checked_ += std::min(steps, WorkLimits::kNoSteps - checked_);
  left_ = window_;
}

WorkEnd WorkBudget::find_end() {
  if (cancelled_.load(std::memory_order_relaxed)) return WorkEnd::kCancelled;
  if (flag_ != nullptr && flag_->load(std::memory_order_relaxed)) return WorkEnd::kCancelled;
  if (parent_ != nullptr) {
    if (!parent_->charge(checked_ - told_parent_)) return parent_->end();
    told_parent_ = checked_;
  }
  if (checked_ > limits_.steps) return WorkEnd::kSteps;
  if (limits_.cpu != WorkLimits::kNoTime && cpu_used() >= limits_.cpu) return WorkEnd::kCpu;
  if (limits_.time != WorkLimits::kNoTime && std::chrono::steady_clock::now() - begin_ >= limits_.time) {
    return WorkEnd::kTime;
  }
  return WorkEnd::kNone;
}

std::chrono::nanoseconds WorkBudget::cpu_used() const {
  return on_thread_ ? cpu_before_ + (thread_cpu_time() - cpu_start_) : cpu_before_;
}

Error WorkBudget::error(std::string_view progress) const {
  CAIRN_ASSERT(has_ended());
  // The limit that ended it may be one of the parent's.
  if (parent_ != nullptr && parent_->end() == end_) return parent_->error(progress);
  const auto beyond = [&](const std::string& limit) {
    return make_error(Errc::kBudgetExceeded,
                      "the work took more than " + limit + ": " + std::string(progress));
  };
  switch (end_) {
    case WorkEnd::kCpu:
      return beyond(in_ms(limits_.cpu) + " ms of processor time");
    case WorkEnd::kTime:
      return beyond(in_ms(limits_.time) + " ms");
    case WorkEnd::kSteps:
      return beyond(std::to_string(limits_.steps) + " steps");
    case WorkEnd::kNone:
    case WorkEnd::kCancelled:
      break;
  }
  return make_error(Errc::kCancelled, "the work was cancelled after " + std::to_string(steps()) +
                                          " steps: " + std::string(progress));
}

WorkBudget::OnThread::OnThread(WorkBudget& budget) : budget_(budget) {
  CAIRN_ASSERT(!budget_.on_thread_);
  budget_.on_thread_ = true;
  budget_.cpu_start_ = thread_cpu_time();
}

WorkBudget::OnThread::~OnThread() {
  budget_.cpu_before_ = budget_.cpu_used();
  budget_.on_thread_ = false;
}

}  // namespace cairn
