#include "tools/bench/pipelined_writer.h"

#include <latch>
#include <optional>
#include <random>
#include <thread>
#include <utility>
#include <vector>

#include "eventstore/after_callbacks.h"
#include "eventstore/base/assert.h"
#include "eventstore/base/background_thread.h"
#include "eventstore/base/mutex.h"
#include "tools/bench/cairn_append.h"
#include "tools/bench/interrupt.h"

namespace cairn::bench {
namespace {

using SteadyClock = std::chrono::steady_clock;

class PipelinedWriter {
 public:
  PipelinedWriter(EventStore& store, const AppendLoad& load, StreamSet& streams, const Payloads& payloads,
                  unsigned writer)
      : store_(store), load_(load), streams_(streams), payloads_(payloads), random_(writer + 1) {
    next_event_ = random_();
    places_.reserve(load.in_flight);
    for (unsigned i = 0; i < load.in_flight; ++i) {
      const std::size_t share = std::size_t{writer} * load.in_flight + i;
      places_.push_back({this, StreamShare(streams, share, std::size_t{load.writers} * load.in_flight)});
    }
  }

  // Appends until `duration` is over, then waits for the appends in flight.
  void run(std::latch& start) {
    start.arrive_and_wait();
    deadline_ = SteadyClock::now() + std::chrono::duration_cast<SteadyClock::duration>(load_.duration);
    for (Place& place : places_) submit(place);
    std::vector<Place*> answered;
    for (std::size_t under_way = places_.size(); under_way > 0;) {
      wait_for_answers(answered);
      for (Place* place : answered) {
        take_answer(*place);
        if (is_over()) {
          --under_way;
        } else {
          submit(*place);
        }
      }
    }
  }

  const AppendOutcome& outcome() const { return outcome_; }
  const std::optional<Error>& error() const { return error_; }

 private:
  // A slot for an append in flight. The callback captures only its address, so that it needs no allocation.
  struct Place {
    PipelinedWriter* writer;
    StreamShare share;
    std::size_t stream = 0;
    SteadyClock::time_point began = {};
    SteadyClock::time_point ended = {};
    std::optional<Error> error = {};
  };

  bool is_over() const { return error_ || SteadyClock::now() >= deadline_ || interrupted(); }

  void submit(Place& place) {
    place.stream = place.share.pick(random_);
    const std::string name = StreamSet::name(place.stream);
    const AppendCall call{name, streams_.version(place.stream), next_event_, load_.batch_events};
    next_event_ += load_.batch_events;
    place.began = SteadyClock::now();
    store_.append_async(make_request(call, payloads_, load_.client_ids),
                        [&place](Result<AppendResult> result) {
                          if (!result) place.error = std::move(result).error();
                          place.ended = SteadyClock::now();
                          place.writer->note_answer(place);
                        });
  }

  void note_answer(Place& place) {
    {
      const MutexLock lock(mutex_);
      answered_.push_back(&place);
      if (std::exchange(more_may_come_, true)) return;
    }
    after_callbacks([this] { wake(); });  // The writer wakes once per group of answers.
  }

  void wake() {
    const MutexLock lock(mutex_);
    more_may_come_ = false;
    // Notified with the lock held: after the last answer the writer may be destroyed as soon as it is
    // released.
    some_answered_.notify_one();
  }

  void wait_for_answers(std::vector<Place*>& answered) {
    answered.clear();
    MutexLock lock(mutex_);
    some_answered_.wait(lock,
                        [this]() CAIRN_REQUIRES(mutex_) { return !answered_.empty() && !more_may_come_; });
    answered.swap(answered_);
  }

  void take_answer(Place& place) {
    if (place.error) {
      if (!error_) error_ = std::move(place.error);
      return;
    }
    streams_.advance(place.stream, load_.batch_events);
    if (place.ended > deadline_) return;
    outcome_.latency.add(place.ended - place.began);
    ++outcome_.appends;
    outcome_.events += load_.batch_events;
  }

  EventStore& store_;
  const AppendLoad& load_;
  StreamSet& streams_;
  const Payloads& payloads_;
  std::mt19937_64 random_;
  std::uint64_t next_event_ = 0;
  SteadyClock::time_point deadline_;
  std::vector<Place> places_;
  AppendOutcome outcome_;
  std::optional<Error> error_;

  Mutex mutex_;
  CondVar some_answered_;
  std::vector<Place*> answered_ CAIRN_GUARDED_BY(mutex_);
  bool more_may_come_ CAIRN_GUARDED_BY(mutex_) = false;
};

}  // namespace

Result<AppendOutcome> drive_pipelined(EventStore& store, const AppendLoad& load, StreamSet& streams,
                                      const Payloads& payloads) {
  CAIRN_ASSERT(std::size_t{load.writers} * load.in_flight <= streams.size(), load.writers, load.in_flight,
               streams.size());
  std::vector<std::unique_ptr<PipelinedWriter>> writers;
  for (unsigned i = 0; i < load.writers; ++i) {
    writers.push_back(std::make_unique<PipelinedWriter>(store, load, streams, payloads, i));
  }
  std::latch start(load.writers);
  std::vector<std::jthread> threads;
  for (const auto& writer : writers) {
    threads.emplace_back([&start, &writer = *writer] {
      name_this_thread("cairn-bench");
      writer.run(start);
    });
  }
  threads.clear();

  AppendOutcome outcome;
  outcome.seconds = load.duration.count();
  for (const auto& writer : writers) {
    if (writer->error()) return *writer->error();
    outcome.appends += writer->outcome().appends;
    outcome.events += writer->outcome().events;
    outcome.latency.merge(writer->outcome().latency);
  }
  return outcome;
}

}  // namespace cairn::bench
