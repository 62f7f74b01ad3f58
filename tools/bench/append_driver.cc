#include "tools/bench/append_driver.h"

#include <atomic>
#include <latch>
#include <optional>
#include <random>
#include <thread>

#include "eventstore/base/background_thread.h"
#include "eventstore/base/mutex.h"
#include "tools/bench/interrupt.h"

namespace cairn::bench {
namespace {

using SteadyClock = std::chrono::steady_clock;

// State shared by the writer threads of one run.
struct Run {
  const AppendLoad& load;
  StreamSet& streams;
  std::latch start;
  std::atomic<SteadyClock::rep> deadline{0};
  std::atomic<bool> stop{false};

  Mutex mutex = {};
  AppendOutcome outcome CAIRN_GUARDED_BY(mutex) = {};
  std::optional<Error> first_error CAIRN_GUARDED_BY(mutex) = {};
};

bool is_over(const Run& run, SteadyClock::time_point now) {
  return now.time_since_epoch().count() >= run.deadline.load(std::memory_order_relaxed) ||
         run.stop.load(std::memory_order_relaxed) || interrupted();
}

Status write_until_over(Run& run, unsigned writer, AppendSession& session, AppendOutcome& mine) {
  std::mt19937_64 random(writer + 1);
  const StreamShare share(run.streams, writer, run.load.writers);
  std::uint64_t next_event = random();
  run.start.arrive_and_wait();
  for (auto began = SteadyClock::now();;) {
    const std::size_t stream = share.pick(random);
    const std::string name = StreamSet::name(stream);
    CAIRN_CHECK(session.append({name, run.streams.version(stream), next_event, run.load.batch_events}));
    run.streams.advance(stream, run.load.batch_events);
    next_event += run.load.batch_events;
    const auto ended = SteadyClock::now();
    if (is_over(run, ended)) return {};
    mine.latency.add(ended - began);
    ++mine.appends;
    mine.events += run.load.batch_events;
    began = ended;
  }
}

void run_writer(Run& run, unsigned writer, AppendSession& session) {
  AppendOutcome mine;
  const Status status = write_until_over(run, writer, session, mine);
  const MutexLock lock(run.mutex);
  if (!status && !run.first_error) {
    run.first_error = status.error();
    run.stop = true;
  }
  run.outcome.appends += mine.appends;
  run.outcome.events += mine.events;
  run.outcome.latency.merge(mine.latency);
}

}  // namespace

Result<AppendOutcome> drive_appends(const AppendLoad& load, StreamSet& streams,
                                    const AppendSessions& sessions) {
  CAIRN_ASSERT(load.in_flight == 1 && sessions.size() == load.writers, load.in_flight, sessions.size(),
               load.writers);
  Run run{.load = load, .streams = streams, .start = std::latch(load.writers + 1)};
  run.deadline = SteadyClock::time_point::max().time_since_epoch().count();

  std::vector<std::jthread> threads;
  for (unsigned writer = 0; writer < load.writers; ++writer) {
    threads.emplace_back([&run, &sessions, writer] {
      name_this_thread("cairn-bench");
      run_writer(run, writer, *sessions[writer]);
    });
  }
  const auto duration = std::chrono::duration_cast<SteadyClock::duration>(load.duration);
  run.start.arrive_and_wait();
  run.deadline = (SteadyClock::now() + duration).time_since_epoch().count();
  threads.clear();

  const MutexLock lock(run.mutex);
  if (run.first_error) return *std::move(run.first_error);
  run.outcome.seconds = load.duration.count();
  return std::move(run.outcome);
}

}  // namespace cairn::bench
