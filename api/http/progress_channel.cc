#include "api/http/progress_channel.h"

#include <utility>

namespace cairn::api {

void ProgressChannel::progress(std::string line) {
  const MutexLock lock(mutex_);
  const auto now = Clock::now();
  if (finished_ || now - last_progress_ < kProgressInterval) return;
  last_progress_ = now;
  line_ = std::move(line) + "\n";
  notify();
}

void ProgressChannel::finish(std::string line) {
  const MutexLock lock(mutex_);
  line_ += std::move(line) + "\n";
  finished_ = true;
  notify();
}

void ProgressChannel::notify() {
  if (const auto ready = std::exchange(ready_, nullptr)) ready();
}

BodySource::Piece ProgressBody::next(std::string& to, WorkBudget&) {
  ProgressChannel& channel = *channel_;
  const MutexLock lock(channel.mutex_);
  to += std::exchange(channel.line_, {});
  return channel.finished_ ? Piece::kEnd : Piece::kWait;
}

void ProgressBody::when_ready(std::function<void()> ready) {
  ProgressChannel& channel = *channel_;
  const MutexLock lock(channel.mutex_);
  channel.ready_ = std::move(ready);
  if (!channel.line_.empty() || channel.finished_) channel.notify();
}

void ProgressBody::stop_waiting() {
  ProgressChannel& channel = *channel_;
  const MutexLock lock(channel.mutex_);
  channel.ready_ = nullptr;
}

}  // namespace cairn::api
