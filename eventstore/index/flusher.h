#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

#include "eventstore/base/background_thread.h"
#include "eventstore/base/clock.h"
#include "eventstore/base/fair_mutex.h"
#include "eventstore/base/log_event.h"
#include "eventstore/base/log_throttle.h"
#include "eventstore/base/mutex.h"
#include "eventstore/base/result.h"
#include "eventstore/index/index.h"
#include "eventstore/index/tail.h"

namespace cairn {

// Writes the tail (the memtable) to the index on disk, on the thread cairn-flush, whenever the tail has grown
// enough. A failed flush (a full disk) is retried every second; meanwhile the tail grows up to a bound, at
// which make_room() applies backpressure to the writer thread. Thread-safe; destroyed when no call is in
// progress.
class Flusher {
 public:
  struct Options {
    TailSize flush_at{.events = 1u << 18, .bytes = 128u << 20};  // of the active generation
    TailSize max{.events = 1u << 20, .bytes = 512u << 20};       // make_room() waits at this size
    std::function<std::uint32_t()> first_id_day;
    LogSink on_log;
    Clock clock = system_time;                       // limits how often failures are logged
    std::function<void(std::string_view)> on_fatal;  // the index cannot be written until the next start
    std::function<void()> each_minute;               // maintenance, called on cairn-flush

    // Does a small part of the work that may wait for flushes, such as merging runs; false when there is none.
    // Called on cairn-flush between flushes. A failure is logged, and it is called again later.
    std::function<Result<bool>()> idle_step;
  };

  Flusher(Index& index, Tail& tail, const Uuid& store_id, Options options);

  // Stops without a flush; call flush() before if one is wanted.
  ~Flusher() = default;

  // Called by the writer thread before each block. Starts a flush when the active generation is large enough,
  // and waits while the tail is at its bound. Fails with the error of the last flush if that failed and the
  // tail is at its bound.
  Status make_room() CAIRN_EXCLUDES(mutex_);

  // Flushes everything that is in the tail at the time of the call, and returns when it is durable. Uses
  // large transactions, also for a flush that is already running, because the caller waits.
  Status flush() CAIRN_EXCLUDES(flush_mutex_, mutex_);

  std::uint64_t flushes() const { return flushes_.load(); }

 private:
  void run(const std::stop_token& stop) CAIRN_EXCLUDES(flush_mutex_, mutex_);
  Status flush_once() CAIRN_EXCLUDES(flush_mutex_, mutex_);
  void take_idle_steps(const std::stop_token& stop) CAIRN_EXCLUDES(flush_mutex_, mutex_);
  bool take_idle_step() CAIRN_EXCLUDES(flush_mutex_, mutex_);
  void report(const Error& error) CAIRN_REQUIRES(flush_mutex_);
  std::size_t cache_bytes_max() const { return options_.max.bytes / 2; }

  Index& index_;
  Tail& tail_;
  const Uuid store_id_;
  const Options options_;
  std::atomic<std::uint64_t> flushes_ = 0;
  std::atomic<int> waiting_ = 0;  // callers in flush()

  // Held during a flush and an idle step; acquired before mutex_. Fair, because idle steps follow one another.
  FairMutex flush_mutex_;
  Mutex mutex_;
  CondVar changed_;
  bool wanted_ CAIRN_GUARDED_BY(mutex_) = false;           // make_room() asked for a flush
  std::optional<Error> failure_ CAIRN_GUARDED_BY(mutex_);  // of the last attempt
  // The failure is in the log, and its end is not.
  bool failure_logged_ CAIRN_GUARDED_BY(flush_mutex_) = false;
  LogThrottle failures_ CAIRN_GUARDED_BY(flush_mutex_);
  LogThrottle idle_failures_ CAIRN_GUARDED_BY(flush_mutex_);
  // cairn-flush's:
  bool idle_ = false;  // no idle step is to be taken until the next flush
  std::chrono::steady_clock::time_point idle_retry_at_ = std::chrono::steady_clock::time_point::max();
  BackgroundThread thread_;
};

}  // namespace cairn
