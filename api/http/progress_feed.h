#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

#include "api/http/body_source.h"

namespace cairn::api {

// Where long work puts what it has to say and the answer picks it up. Either may be gone before the other.
// Any thread.
class ProgressNews {
 public:
  // A line about how far it has come. Of those that nobody took yet only the newest is kept, and those that
  // come too close behind another are left out.
  void progress(std::string line);

  // The last line.
  void finish(std::string line);

  // Nobody listens any more.
  void leave() { left_ = true; }
  bool is_left() const { return left_; }
  const std::atomic<bool>& left() const { return left_; }  // the same, for who has to look often

 private:
  friend class ProgressFeed;
  using Clock = std::chrono::steady_clock;

  // Callbacks are called with the lock held: then none runs any more once stop_waiting() has the lock.
  void ring();

  static constexpr std::chrono::milliseconds kProgressEvery{100};

  std::atomic<bool> left_{false};
  std::mutex mutex_;
  std::string line_;  // not yet taken
  bool finished_ = false;
  Clock::time_point last_progress_;
  std::function<void()> ready_;
};

// The news of long work as the body of an answer: lines of JSON, the last of which is its outcome. When the
// client goes away, nobody listens any more.
class ProgressFeed final : public BodySource {
 public:
  explicit ProgressFeed(std::shared_ptr<ProgressNews> news) : news_(std::move(news)) {}
  ~ProgressFeed() override { news_->leave(); }

  Piece next(std::string& to) override;
  void when_ready(std::function<void()> ready) override;
  void stop_waiting() override;
  std::string_view sign_of_life() const override { return "\n"; }

 private:
  const std::shared_ptr<ProgressNews> news_;
};

}  // namespace cairn::api
