#include "api/http/progress_feed.h"

#include <utility>

namespace cairn::api {

void ProgressNews::progress(std::string line) {
  const std::lock_guard lock(mutex_);
  const auto now = Clock::now();
  if (finished_ || now - last_progress_ < kProgressEvery) return;
  last_progress_ = now;
  line_ = std::move(line) + "\n";
  ring();
}

void ProgressNews::finish(std::string line) {
  const std::lock_guard lock(mutex_);
  line_ += std::move(line) + "\n";
  finished_ = true;
  ring();
}

void ProgressNews::ring() {
  if (const auto ready = std::exchange(ready_, nullptr)) ready();
}

BodySource::Piece ProgressFeed::next(std::string& to) {
  const std::lock_guard lock(news_->mutex_);
  to += std::exchange(news_->line_, {});
  return news_->finished_ ? Piece::kEnd : Piece::kWait;
}

void ProgressFeed::when_ready(std::function<void()> ready) {
  const std::lock_guard lock(news_->mutex_);
  news_->ready_ = std::move(ready);
  if (!news_->line_.empty() || news_->finished_) news_->ring();
}

void ProgressFeed::stop_waiting() {
  const std::lock_guard lock(news_->mutex_);
  news_->ready_ = nullptr;
}

}  // namespace cairn::api
