#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "api/http/body_source.h"
#include "eventstore/base/mutex.h"

namespace cairn::api {

// Carries lines from a long-running task to the answer that streams them. Either end may be destroyed first.
// Thread-safe.
class ProgressChannel {
 public:
  // Reports how far the task is. A line that was not sent yet is replaced, and a line within 100 ms of
  // another is dropped.
  void progress(std::string line);

  // Sends the last line.
  void finish(std::string line);

  // Tells the task to give up: the client has closed the connection, or the server stops.
  void cancel() { cancelled_ = true; }
  bool is_cancelled() const { return cancelled_; }
  const std::atomic<bool>& cancelled() const { return cancelled_; }  // for a task that checks it in a loop

 private:
  friend class ProgressBody;
  using Clock = std::chrono::steady_clock;

  // Calls the callback with the lock held, so that after stop_waiting() none runs.
  void notify() CAIRN_REQUIRES(mutex_);

  static constexpr std::chrono::milliseconds kProgressInterval{100};

  std::atomic<bool> cancelled_{false};
  Mutex mutex_;
  std::string line_ CAIRN_GUARDED_BY(mutex_);  // not yet sent
  bool finished_ CAIRN_GUARDED_BY(mutex_) = false;
  Clock::time_point last_progress_ CAIRN_GUARDED_BY(mutex_);
  std::function<void()> ready_ CAIRN_GUARDED_BY(mutex_);
};

// The receiving end of a ProgressChannel as the body of an answer: lines of JSON, the last of which is the
// outcome. Its destructor, when the client is gone, cancels the task.
class ProgressBody final : public BodySource {
 public:
  explicit ProgressBody(std::shared_ptr<ProgressChannel> channel) : channel_(std::move(channel)) {}
  ~ProgressBody() override { channel_->cancel(); }

  Piece next(std::string& to, WorkBudget& budget) override;
  void when_ready(std::function<void()> ready) override;
  void stop_waiting() override;
  std::string_view heartbeat() const override { return "\n"; }

 private:
  const std::shared_ptr<ProgressChannel> channel_;
};

}  // namespace cairn::api
