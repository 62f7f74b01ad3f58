#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <string_view>
#include <thread>

#include "eventstore/base/result.h"
#include "eventstore/index/index.h"
#include "eventstore/index/tail.h"

namespace cairn {

// Writes the tail to the index from a thread of its own, whenever it has grown enough. An index that cannot
// be written (a full disk) is tried again; meanwhile the tail grows, up to a bound.
class Flusher {
 public:
  struct Options {
    std::size_t flush_at_events = 1u << 18;
    std::size_t events_max = 1u << 20;  // make_room() waits beyond this
    std::function<std::uint32_t()> first_id_day;
    std::function<void(std::string_view)> on_notice;
    std::function<void(std::string_view)> on_fatal;  // the index cannot be written until the next start
    std::function<void()> each_minute;
  };

  Flusher(Index& index, Tail& tail, const Uuid& store_id, Options options);

  // Stops without flushing what is left; flush() before if that is wanted.
  ~Flusher();

  // To be called now and then by the writer: wakes the thread when there is enough, waits when there is too
  // much, fails when the index cannot be written and the tail is full.
  Status make_room();

  // Writes everything that is in the tail at the time of the call and returns when it is on disk. In a hurry,
  // and so is a flush that is under way, as somebody waits.
  Status flush();

  std::uint64_t flushes() const { return flushes_.load(); }

 private:
  void run();
  Status flush_once();
  void report(const Error& error) const;

  Index& index_;
  Tail& tail_;
  const Uuid store_id_;
  const Options options_;
  std::atomic<std::uint64_t> flushes_ = 0;
  std::atomic<int> waiting_ = 0;  // for flush() to return

  std::mutex flush_mutex_;  // held by whoever writes
  std::mutex mutex_;
  std::condition_variable changed_;
  bool wanted_ = false;
  bool stopping_ = false;
  std::optional<Error> failure_;  // of the last attempt
  std::thread thread_;
};

}  // namespace cairn
