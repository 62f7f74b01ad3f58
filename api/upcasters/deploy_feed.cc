#include "api/upcasters/deploy_feed.h"

#include <utility>

namespace cairn::api {

void DeployNews::progress(std::string line) {
  const std::lock_guard lock(mutex_);
  const auto now = Clock::now();
  if (finished_ || now - last_progress_ < kProgressEvery) return;
  last_progress_ = now;
  line_ = std::move(line) + "\n";
  ring();
}

void DeployNews::finish(std::string line) {
  const std::lock_guard lock(mutex_);
  line_ += std::move(line) + "\n";
  finished_ = true;
  ring();
}

void DeployNews::ring() {
  if (const auto ready = std::exchange(ready_, nullptr)) ready();
}

BodySource::Piece DeployFeed::next(std::string& to) {
  const std::lock_guard lock(news_->mutex_);
  to += std::exchange(news_->line_, {});
  return news_->finished_ ? Piece::kEnd : Piece::kWait;
}

void DeployFeed::when_ready(std::function<void()> ready) {
  const std::lock_guard lock(news_->mutex_);
  news_->ready_ = std::move(ready);
  if (!news_->line_.empty() || news_->finished_) news_->ring();
}

void DeployFeed::stop_waiting() {
  const std::lock_guard lock(news_->mutex_);
  news_->ready_ = nullptr;
}

}  // namespace cairn::api
