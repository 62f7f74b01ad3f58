#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <limits>
#include <string_view>

#include "eventstore/base/error.h"

namespace cairn {

// What one task may take. A task without limits only ends when it is cancelled.
struct WorkLimits {
  static constexpr std::uint64_t kNoSteps = std::numeric_limits<std::uint64_t>::max();
  static constexpr std::chrono::nanoseconds kNoTime = std::chrono::nanoseconds::max();

  std::uint64_t steps = kNoSteps;
  std::chrono::nanoseconds cpu = kNoTime;   // processor time, of the threads that worked for it
  std::chrono::nanoseconds time = kNoTime;  // since the budget was made, waiting included
};

// Why a task may not go on.
enum class WorkEnd : std::uint8_t { kNone, kCancelled, kSteps, kCpu, kTime };

// The work that one request or task may do. Loops call charge() and leave when it is false:
//
//   for (const auto& item : items) {
//     if (!budget.charge()) return budget.error("12 of 40 types were compared");
//
// A step is a few dozen nanoseconds of work: a value visited, a name looked up, 64 bytes scanned. Clocks and
// flags are read every kStepsBetweenChecks steps, so that a step costs a subtraction and a comparison, and a
// cancelled task ends within microseconds.
//
// A budget with a parent also charges its steps to it and ends when the parent does: a bound of one part of a
// request below the bound of the whole.
//
// Belongs to one thread at a time, except cancel(), which any thread may call.
class WorkBudget {
 public:
  static constexpr std::uint64_t kStepsBetweenChecks = 1'000;

  WorkBudget() : WorkBudget(WorkLimits{}) {}
  // REQUIRES: `parent` outlives the budget and belongs to the same thread.
  explicit WorkBudget(const WorkLimits& limits, WorkBudget* parent = nullptr);
  ~WorkBudget();
  WorkBudget(const WorkBudget&) = delete;
  WorkBudget& operator=(const WorkBudget&) = delete;

  // Counts steps that are about to be done. False when they may not be done, and from then on always.
  [[nodiscard]] bool charge(std::uint64_t steps = 1) {
    if (steps < left_) [[likely]] {
      left_ -= steps;
      return true;
    }
    return check(steps);
  }

  // Replaces the limits. REQUIRES: called before the first charge().
  void set_limits(const WorkLimits& limits) { limits_ = limits; }

  // Ends the task at its next check. Thread-safe.
  void cancel() { cancelled_.store(true, std::memory_order_relaxed); }

  // Whether cancel() was called, or the flag of cancel_with() is set. Thread-safe.
  bool is_cancelled() const {
    return cancelled_.load(std::memory_order_relaxed) ||
           (flag_ != nullptr && flag_->load(std::memory_order_relaxed));
  }

  // The task also ends when this flag is set. REQUIRES: the flag outlives the budget; called before the first
  // charge().
  void cancel_with(const std::atomic<bool>& flag) { flag_ = &flag; }

  // The processor time of the calling thread counts while one of these lives. A task that moves between
  // threads has one on each. REQUIRES: at most one at a time.
  class OnThread {
   public:
    explicit OnThread(WorkBudget& budget);
    ~OnThread();
    OnThread(const OnThread&) = delete;
    OnThread& operator=(const OnThread&) = delete;

   private:
    WorkBudget& budget_;
  };

  WorkEnd end() const { return end_; }
  bool has_ended() const { return end_ != WorkEnd::kNone; }

  // The steps so far, including those that were refused.
  std::uint64_t steps() const { return checked_ + (window_ - left_); }

  // kCancelled or kBudgetExceeded, with the limit and `progress`, which says how far the task got.
  // REQUIRES: has_ended().
  Error error(std::string_view progress) const;

 private:
  bool check(std::uint64_t steps);
  void count(std::uint64_t steps);  // those of the window, and `steps` more
  WorkEnd find_end();
  std::chrono::nanoseconds cpu_used() const;

  // `left_` is one more than the steps until the next check, and 0 after the end; it began at `window_`.
  std::uint64_t left_ = 1;
  std::uint64_t window_ = 1;
  std::uint64_t checked_ = 0;      // steps before the window
  std::uint64_t told_parent_ = 0;  // of these, those that were charged to the parent
  WorkEnd end_ = WorkEnd::kNone;
  bool on_thread_ = false;
  std::atomic<bool> cancelled_ = false;
  const std::atomic<bool>* flag_ = nullptr;
  WorkBudget* parent_;
  WorkLimits limits_;
  std::chrono::steady_clock::time_point begin_;
  std::chrono::nanoseconds cpu_before_{0};  // on threads that the task has left
  std::chrono::nanoseconds cpu_start_{0};   // of this thread, when the task came to it
};

}  // namespace cairn
