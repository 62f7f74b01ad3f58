#pragma once

#include <atomic>
#include <memory>
#include <utility>

#include "projections/runner/projection_runner.h"
#include "projections/task_pool.h"

namespace cairn {

// Steps one projection on the pool: never on two threads at once, and without lost wake-ups. A wake-up during
// a step causes another step. Thread-safe.
class RunQueue : public std::enable_shared_from_this<RunQueue> {
 public:
  // REQUIRES: `pool` outlives it.
  RunQueue(TaskPool& pool, std::shared_ptr<ProjectionRunner> runner)
      : pool_(pool), runner_(std::move(runner)) {}

  ProjectionRunner& runner() { return *runner_; }
  const std::shared_ptr<ProjectionRunner>& shared_runner() const { return runner_; }

  // There is, or may be, something to do. Does not block.
  void wake() {
    State seen = state_.load();
    while (true) {
      if (seen == State::kQueued || seen == State::kRunningAgain) return;
      const State next = seen == State::kIdle ? State::kQueued : State::kRunningAgain;
      if (!state_.compare_exchange_weak(seen, next)) continue;
      if (next == State::kQueued) post();
      return;
    }
  }

 private:
  enum class State { kIdle, kQueued, kRunning, kRunningAgain };

  void post() {
    pool_.post([self = shared_from_this()] { self->run(); });
  }

  void run() {
    state_ = State::kRunning;
    const ProjectionRunner::Step step = runner_->step();
    if (step.wait) {
      pool_.post_after(*step.wait, [self = shared_from_this()] { self->wake(); });
    }
    State seen = State::kRunning;
    if (!step.worked && state_.compare_exchange_strong(seen, State::kIdle)) return;
    state_ = State::kQueued;  // At the end of the queue, so that projections take turns.
    post();
  }

  TaskPool& pool_;
  const std::shared_ptr<ProjectionRunner> runner_;
  std::atomic<State> state_{State::kIdle};
};

}  // namespace cairn
