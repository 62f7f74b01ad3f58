#include "eventstore/index/flusher.h"

#include <chrono>
#include <string>
#include <utility>

#include "eventstore/base/thread_priority.h"

namespace cairn {
namespace {

constexpr int kNice = 10;
constexpr std::chrono::seconds kRetryAfter{1};
constexpr std::chrono::minutes kTidyEvery{1};

}  // namespace

Flusher::Flusher(Index& index, Tail& tail, const Uuid& store_id, Options options)
    : index_(index), tail_(tail), store_id_(store_id), options_(std::move(options)) {
  thread_ = std::thread([this] { run(); });
}

Flusher::~Flusher() {
  {
    std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

Status Flusher::make_room() {
  if (tail_.active_events() < options_.flush_at_events) return {};
  std::unique_lock lock(mutex_);
  if (!std::exchange(wanted_, true)) changed_.notify_all();
  changed_.wait(lock, [this] { return failure_ || stopping_ || tail_.events() < options_.events_max; });
  if (tail_.events() < options_.events_max) return {};
  if (failure_) return *failure_;
  return make_error(Errc::kFailedPrecondition, "the store is closing");
}

Status Flusher::flush() {
  ++waiting_;
  // Twice, because a generation may be on its way already and what came after it has to follow.
  Status status = flush_once();
  if (status.ok()) status = flush_once();
  --waiting_;
  return status;
}

Status Flusher::flush_once() {
  std::lock_guard writing(flush_mutex_);
  const auto generation = tail_.freeze();
  if (generation == nullptr) return {};
  // When the next generation is full already, appends are about to wait for us.
  const auto hurry = [this] { return waiting_ > 0 || tail_.active_events() >= options_.flush_at_events; };
  const Status status = index_.flush(*generation, store_id_, options_.first_id_day(), hurry);
  if (status.ok()) {
    tail_.drop_frozen();
    ++flushes_;
  }
  bool new_failure = false;
  {
    std::lock_guard lock(mutex_);
    new_failure = !status.ok() && (!failure_ || failure_->code != status.error().code);
    failure_ = status.ok() ? std::nullopt : std::optional(status.error());
  }
  changed_.notify_all();
  if (new_failure) report(status.error());
  return status;
}

void Flusher::report(const Error& error) const {
  const std::string message = "the index could not be flushed: " + error.message;
  const bool may_pass = error.code == Errc::kDiskFull || error.code == Errc::kIo;
  const auto& listener = may_pass ? options_.on_notice : options_.on_fatal;
  if (listener) listener(message);
}

void Flusher::run() {
  // Writers wait for the log and nobody waits for the index: where processors are short, the log comes first.
  set_thread_niceness(kNice);
  auto tidy_at = std::chrono::steady_clock::now() + kTidyEvery;
  std::unique_lock lock(mutex_);
  while (!stopping_) {
    if (failure_) {
      // Not at once again: a disk does not empty itself. New appends may ask earlier, through flush().
      changed_.wait_for(lock, kRetryAfter, [this] { return stopping_; });
    } else {
      changed_.wait_until(lock, tidy_at, [this] { return stopping_ || wanted_; });
    }
    if (stopping_) return;
    if (std::exchange(wanted_, false) || failure_) {
      lock.unlock();
      static_cast<void>(flush_once());
      lock.lock();
    }
    if (std::chrono::steady_clock::now() >= tidy_at) {
      lock.unlock();
      if (options_.each_minute) options_.each_minute();
      lock.lock();
      tidy_at = std::chrono::steady_clock::now() + kTidyEvery;
    }
  }
}

}  // namespace cairn
