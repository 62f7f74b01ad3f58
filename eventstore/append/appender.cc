#include "eventstore/append/appender.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <span>
#include <thread>
#include <utility>

#include "eventstore/append/validate.h"
#include "eventstore/base/assert.h"
#include "eventstore/base/prefetch.h"
#include "eventstore/base/thread_priority.h"

namespace cairn {
namespace {

// How long a caller of append() that waits alone spins for its answer before it sleeps.
constexpr std::chrono::milliseconds kWaiterSpinBeforeSleep{1};

// Every client waits for the writer thread, and it waits for nothing but the disk: it asks for a higher
// priority, which the system grants to root and by LimitNICE.
// See docs/decisions.md, "The writer thread runs at a higher priority".
constexpr int kWriterNiceness = -10;

// Of its share of a processor: at a higher priority a millisecond of it is as long as kShortSlice, so that threads
// with such a slice wait for one of the writer's slices at most.
constexpr std::chrono::milliseconds kWriterSlice{1};

// A commit that took longer is logged. A disk needs some ms; a client notices 100.
constexpr std::chrono::milliseconds kSlowCommit{100};

Error closing() { return make_error(Errc::kFailedPrecondition, "the store is closing"); }

// What a request is told whose block was not written. `planned` is its answer if it had been.
Error error_of_failed_block(const Error& failure, const Result<AppendResult>& planned) {
  // A request that the planner refused was not written, whatever became of the block: it may have been refused
  // because of events whose outcome is unknown, but its own outcome is known.
  if (failure.code == Errc::kOutcomeUnknown && !planned.ok())
    return make_error(Errc::kFailedPrecondition, "the store has stopped taking appends: " + failure.message);
  // A refusal or a repeat had nothing to write. Without the block it may be answered in another way.
  if (failure.code == Errc::kIo && (!planned.ok() || planned->already_applied))
    return make_error(Errc::kOverloaded,
                      "the block that the answer rests on could not be written; try again");
  return failure;
}

GlobalPosition last_position_of(const AppendResult& result) {
  GlobalPosition last;
  for (const StreamAppendResult& stream : result.streams) last = std::max(last, stream.last_position);
  return last;
}

}  // namespace

Appender::Appender(const Parts& parts, const StoreOptions& options, const LogEnd& end, Hooks hooks)
    : parts_(parts),
      options_(options),
      hooks_(std::move(hooks)),
      queue_({.requests_max = options.queue_requests_max,
              .bytes_max = options.queue_bytes_max,
              .block_requests_max = options.block_events_max,
              .block_bytes_max = options.block_bytes_max,
              .client_bytes_max = options.client_block_bytes_max}),
      planner_({.log = parts.log,
                .tail = parts.tail,
                .index = parts.index,
                .id_window = parts.id_window,
                .store_id = parts.store_id,
                .id_key = parts.id_key,
                .revision = parts.revision}),
      end_(end),
      epoch_(end.epoch + 1),  // fences off an earlier writer: the log refuses blocks of a lower epoch
      applied_through_(end.last_position),
      published_hash_(end.hash) {
  end_.epoch = epoch_;
  thread_.start({.name = "cairn-writer",
                 .niceness = kWriterNiceness,
                 .slice = kWriterSlice,
                 .wake = [this] { queue_.close(closing()); }},
                [this](const std::stop_token&) { run(); });
}

// A closed queue is drained before the writer thread ends.
Appender::~Appender() { thread_.stop(); }

Result<AppendResult> Appender::append(const AppendRequest& request) {
  PendingAppend pending(request);
  AppendQueue::Entry entry{&pending};
  CAIRN_TRY(AnswerSignal* const signal, enqueue(entry));
  // A caller that waits alone spins: waking up from sleep would take as long as the commit. Several callers
  // would only take the CPU from each other and from the writer thread.
  const bool alone = waiting_.fetch_add(1) == 0;
  const auto spin_until = std::chrono::steady_clock::now() + kWaiterSpinBeforeSleep;
  while (!pending.answered.load() && alone && waiting_.load() == 1 &&
         std::chrono::steady_clock::now() < spin_until) {
    if (!hasher_.help()) std::this_thread::yield();
  }
  // The block being committed is the one before this request's, which needs its hash: nothing waits longer.
  hasher_.help();
  signal->wait_until(pending.answered);
  waiting_.fetch_sub(1);
  return *std::move(pending.answer);
}

void Appender::append_async(std::unique_ptr<AsyncAppend> async) {
  AppendQueue::Entry entry{&async->pending, std::move(async)};
  if (auto queued = enqueue(entry); !queued.ok()) entry.async->done(std::move(queued).error());
}

// Runs on the caller's thread. It allocates the answer too, so that the writer thread allocates and frees no
// memory of another thread: see docs/decisions.md, "No allocation crosses the writer thread".
Result<AnswerSignal*> Appender::enqueue(AppendQueue::Entry& entry) {
  PendingAppend& pending = *entry.pending;
  const auto bytes = validate(pending.request);
  if (bytes.ok()) {
    pending.bytes = *bytes;
    pending.terms = BlockPlanner::terms_of(pending.request, parts_.index.digest_key());
    pending.answer.emplace(BlockPlanner::prepared_for(pending.request));
    pending.taken = std::chrono::steady_clock::now();
  }
  auto queued = bytes.ok() ? queue_.push(entry) : Result<AnswerSignal*>(bytes.error());
  if (!queued.ok()) ++counters_.refused;
  return queued;
}

// The batch is shared with the callback thread, which may still run callbacks of its first block while the
// second one is committed.
void Appender::run() {
  for (;;) {
    const auto batch = std::make_shared<AppendQueue::Batch>(queue_.take());
    if (batch->appends.empty()) return;
    for (std::size_t from = 0; from < batch->appends.size();) {
      const std::size_t to = write_block(*batch, from);
      batch->signal->notify();
      callbacks_.deliver(batch, from, to);
      from = to;
    }
  }
}

// Plans, commits and answers as many requests as fit one block; returns where the next block starts.
//
// The next block is not planned during the commit, although the CPU idles then: every client would get its
// answer later and send its next request later. See docs/decisions.md, "No pipelining of publication with
// the next commit".
//
// Every request is answered after the commit of the block it was planned with, also one that is refused or only
// repeats: it may rest on events of that block. A failed commit refuses all of them. A block without anything to
// write rests on durable blocks only, because none is in flight.
std::size_t Appender::write_block(AppendQueue::Batch& batch, std::size_t from) {
  Status status = stopped_
                      ? Status(make_error(Errc::kFailedPrecondition, "the store has stopped taking appends"))
                      : hooks_.make_room();
  std::size_t to = batch.appends.size();
  const std::uint64_t commits = counters_.commits;
  if (status.ok()) {
    to = plan_block(batch, from);
    if (!planner_.is_empty()) {
      status = commit(std::span<const AppendQueue::Entry>(batch.appends).subspan(from, to - from));
    }
  }
  for (std::size_t i = from; i < to; ++i) answer_request(*batch.appends[i].pending, status);
  log_disk_full(status, to - from, commits);
  return to;
}

// Adds requests to the block until it is full; returns where it ends. A first request that is larger than a
// block makes a block of its own.
std::size_t Appender::plan_block(AppendQueue::Batch& batch, std::size_t from) {
  // Time never goes back in the log, whatever the clock does.
  const Timestamp now = std::max(options_.clock(), end_.recorded_at);
  planner_.begin({end_.last_position.value + 1}, now);
  std::size_t bytes = 0;
  std::size_t to = from;
  for (; to < batch.appends.size(); ++to) {
    PendingAppend& append = *batch.appends[to].pending;
    bytes += append.bytes;
    const bool full = bytes > options_.block_bytes_max || planner_.events() >= options_.block_events_max;
    if (to > from && (full || append.bytes > batch.shared_request_bytes_max)) break;
    if ((to - from) % kPrefetchedAtOnce == 0) {
      const auto next = std::span<const AppendQueue::Entry>(batch.appends).subspan(to);
      planner_.prefetch(next.first(std::min(next.size(), kPrefetchedAtOnce)));
    }
    const Status planned = planner_.add(append.request, append.terms, **append.answer);
    if (!planned.ok()) append.answer.emplace(planned.error());
  }
  planner_.release_readers();
  return to;
}

// Answers one request of a block. REQUIRES: the commit of the block is over, `status` is its outcome.
void Appender::answer_request(PendingAppend& append, const Status& status) {
  std::optional<Result<AppendResult>>& answer = append.answer;
  if (!status.ok()) answer.emplace(error_of_failed_block(status.error(), *answer));
  if (answer->ok()) {
    const GlobalPosition last = last_position_of(**answer);
    CAIRN_ASSERT(last <= end_.last_position, last.value, end_.last_position.value);  // invariant 1
    CAIRN_ASSERT(last <= applied_through_, last.value, applied_through_.value);      // invariant 2
  }
  count(*answer);
  append.answered.store(true);  // last: the caller may return and free the request at once
}

// Writes the planned block, and then makes it visible: tail, hash, head, in this order.
// See docs/decisions.md, "An event becomes visible after the tail has it".
Status Appender::commit(std::span<const AppendQueue::Entry> planned) {
  CAIRN_ASSERT(!stopped_);  // invariant 3
  if (const Status ready = hooks_.before_write(); !ready.ok()) return failed(ready);
  const BlockContents contents = planner_.contents(parts_.format, end_);
  CAIRN_ASSERT(contents.first_position.value == end_.last_position.value + 1, contents.first_position.value,
               end_.last_position.value);  // invariant 4
  CAIRN_ASSERT(contents.recorded_at >= end_.recorded_at, contents.recorded_at.micros,
               end_.recorded_at.micros);  // invariant 4
  const auto block = builder_.build(contents);
  hasher_.start(block);
  const auto started = std::chrono::steady_clock::now();
  const Status written = parts_.log.append(end_.place(), end_.epoch, block);
  const auto took = std::chrono::steady_clock::now() - started;
  const Sha256 hash = hasher_.finish();
  if (!written.ok()) return failed(written);
  has_written_.store(true);
  end_.hash = hash;
  end_.number = contents.events.empty() ? contents.number : 0;
  end_.recorded_at = contents.recorded_at;
  if (planner_.events() > 0) apply_events();
  {
    const MutexLock lock(hash_mutex_);
    published_hash_ = end_.hash;
  }
  counters_.events += planner_.events();
  ++counters_.commits;
  counters_.block_bytes += block.size();
  counters_.commit_micros +=
      static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::microseconds>(took).count());
  CAIRN_ASSERT(applied_through_ == end_.last_position, applied_through_.value,
               end_.last_position.value);  // invariant 2
  if (planner_.events() > 0) parts_.news.publish(end_.last_position);
  if (took > kSlowCommit) log_slow_commit(block.size(), took);
  if (options_.on_commit) report(planned, {planner_.events(), block.size(), took});
  return {};
}

// REQUIRES: the head has moved, and no request of the block is answered yet.
void Appender::report(std::span<const AppendQueue::Entry> planned, CommitReport report) {
  const auto visible_at = std::chrono::steady_clock::now();
  waited_.clear();
  for (const AppendQueue::Entry& entry : planned) {
    const PendingAppend& append = *entry.pending;
    const bool has_new_events = append.answer->ok() && !(*append.answer)->already_applied &&
                                last_position_of(**append.answer).value > 0;
    if (has_new_events) waited_.push_back(visible_at - append.taken);
  }
  report.waited = waited_;
  options_.on_commit(report);
}

// After kDiskFull and kIo nothing of the block is in the log, and the next one may succeed. After any other
// failure the block may be there (kOutcomeUnknown), or another writer has taken over: stop.
Status Appender::failed(const Status& written) {
  const Errc code = written.error().code;
  if (code != Errc::kDiskFull && code != Errc::kIo) stop(written.error());
  return written;
}

void Appender::log_disk_full(const Status& status, std::size_t requests, std::uint64_t commits_before) {
  if (!status.ok() && status.error().code == Errc::kDiskFull) {
    if (!disk_full_.refused(requests, options_.clock())) return;
    LogEvent event(
        LogLevel::kError, "disk-full",
        "The disk is full, and appends are refused until there is room: " + status.error().message);
    if (hooks_.add_free_room) hooks_.add_free_room(event);
    event.add("error", status.error().message);
    log_to(options_.on_log, event);
  } else if (counters_.commits != commits_before) {
    const auto end = disk_full_.written(options_.clock());
    if (!end) return;
    log_to(options_.on_log,
           LogEvent(LogLevel::kInfo, "disk-full-ended",
                    fmt::format("The disk has room again: appends are stored after {} ms, in which {} were "
                                "refused",
                                end->lasted.count(), end->refused))
               .with("durationMs", end->lasted.count())
               .with("refusedAppends", end->refused)
               .with("position", end_.last_position.value));
  }
}

void Appender::log_slow_commit(std::size_t bytes, std::chrono::nanoseconds took) {
  const auto suppressed = slow_commits_.take(options_.clock());
  if (!suppressed) return;
  const auto ms = std::chrono::duration_cast<std::chrono::milliseconds>(took).count();
  LogEvent event(LogLevel::kWarning, "slow-commit",
                 fmt::format("A commit of {} events ({} bytes) up to position {} took {} ms",
                             planner_.events(), bytes, end_.last_position.value, ms));
  event.add("durationMs", ms);
  event.add("events", planner_.events());
  event.add("bytes", bytes);
  event.add("position", end_.last_position.value);
  add_suppressed(event, *suppressed);
  log_to(options_.on_log, event);
}

void Appender::apply_events() {
  BlockSummary summary = planner_.summary(end_.hash);
  end_.last_position = summary.last_position();
  parts_.tail.apply(summary);
  parts_.id_window.add(day_of(end_.recorded_at));
  applied_through_ = end_.last_position;
}

void Appender::stop(const Error& cause) {
  stopped_ = true;
  queue_.close(
      make_error(Errc::kFailedPrecondition, "the store has stopped taking appends: " + cause.message));
  if (options_.on_fatal) options_.on_fatal(cause.message);
}

void Appender::count(const Result<AppendResult>& answer) {
  if (answer.ok()) {
    ++counters_.appends;
    if (answer->already_applied) ++counters_.already_applied;
  } else if (answer.error().code == Errc::kVersionConflict) {
    ++counters_.conflicts;
  } else if (answer.error().code != Errc::kStale) {  // the caller checks the request again and repeats it
    ++counters_.refused;
  }
}

Sha256 Appender::head_hash() const {
  const MutexLock lock(hash_mutex_);
  return published_hash_;
}

}  // namespace cairn
