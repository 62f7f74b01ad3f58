#include "eventstore/append/appender.h"

#include <algorithm>
#include <utility>

#include "eventstore/append/validate.h"
#include "eventstore/base/prefetch.h"
#include "eventstore/base/thread_priority.h"

namespace cairn {
namespace {

constexpr std::chrono::milliseconds kWatchAnswer{1};

// Everybody waits for the writer, and it waits for nobody but the disk: where it may, it goes first.
constexpr int kWriterNice = -10;

Error closing() { return make_error(Errc::kFailedPrecondition, "the store is closing"); }

}  // namespace

Appender::Appender(const Parts& parts, const StoreOptions& options, const LogEnd& end,
                   std::function<Status()> make_room)
    : parts_(parts),
      options_(options),
      make_room_(std::move(make_room)),
      queue_(options.queue_requests_max, options.queue_bytes_max),
      planner_(parts.log, parts.tail, parts.index, parts.store_id, options.dedup_window_days),
      end_(end),
      published_hash_(end.hash) {
  ++end_.epoch;  // a new writer: whoever wrote before it can write no more
  thread_ = std::thread([this] { run(); });
}

Appender::~Appender() {
  queue_.close(closing());
  thread_.join();
}

Result<AppendResult> Appender::append(AppendRequest request) {
  PendingAppend pending(request);
  AppendQueue::Entry entry{&pending};
  CAIRN_TRY(WakeUp* const wake_up, enqueue(entry));
  // Somebody who waits alone watches for the answer: waking up from sleep would take as long as the commit.
  // When there are more, they would only be in each other's way.
  const bool alone = waiting_.fetch_add(1) == 0;
  const auto watch_until = std::chrono::steady_clock::now() + kWatchAnswer;
  while (!pending.answered.load() && alone && waiting_.load() == 1 &&
         std::chrono::steady_clock::now() < watch_until) {
    if (!hasher_.help()) std::this_thread::yield();
  }
  hasher_.help();  // of the block that is being committed, before this one's turn comes
  wake_up->wait_until(pending.answered);
  waiting_.fetch_sub(1);
  return *std::move(pending.answer);
}

void Appender::append_async(AppendRequest request, AppendCallback done) {
  auto unwaited = std::make_unique<UnwaitedAppend>(std::move(request), std::move(done));
  AppendQueue::Entry entry{&unwaited->pending, std::move(unwaited)};
  if (auto queued = enqueue(entry); !queued.ok()) entry.unwaited->done(std::move(queued).error());
}

Result<WakeUp*> Appender::enqueue(AppendQueue::Entry& entry) {
  PendingAppend& pending = *entry.pending;
  const auto bytes = validate(pending.request);
  if (bytes.ok()) {
    pending.bytes = *bytes;
    pending.answer.emplace(BlockPlanner::prepared_for(pending.request));
  }
  auto queued = bytes.ok() ? queue_.push(entry) : Result<WakeUp*>(bytes.error());
  if (!queued.ok()) ++counters_.refused;
  return queued;
}

void Appender::run() {
  set_thread_niceness(kWriterNice);
  for (;;) {
    const auto round = std::make_shared<AppendQueue::Round>(queue_.take());
    if (round->appends.empty()) return;
    for (std::size_t from = 0; from < round->appends.size();) {
      const std::size_t to = write_block(*round, from);
      round->wake_up->answered();
      answerer_.deliver(round, from, to);
      from = to;
    }
  }
}

// Plans, commits and answers as many requests as fit one block; returns where the next block starts.
std::size_t Appender::write_block(AppendQueue::Round& round, std::size_t from) {
  Status status = stopped_
                      ? Status(make_error(Errc::kFailedPrecondition, "the store has stopped taking appends"))
                      : make_room_();
  std::size_t to = from;
  if (status.ok()) {
    const Timestamp now = std::max(options_.clock(), end_.recorded_at);
    planner_.begin({end_.last_position.value + 1}, now);
    std::size_t bytes = 0;
    while (to < round.appends.size()) {
      PendingAppend& append = *round.appends[to].pending;
      bytes += append.bytes;
      if (to > from && (bytes > options_.block_bytes_max || planner_.events() >= options_.block_events_max))
        break;
      if ((to - from) % kPrefetchedAtOnce == 0) {
        const auto next = std::span<const AppendQueue::Entry>(round.appends).subspan(to);
        planner_.prefetch(next.first(std::min(next.size(), kPrefetchedAtOnce)));
      }
      const Status planned = planner_.add(append.request, **append.answer);
      if (!planned.ok()) append.answer.emplace(planned.error());
      ++to;
    }
    planner_.release_readers();
    if (planner_.events() > 0) status = commit();
  } else {
    to = round.appends.size();
  }

  for (std::size_t i = from; i < to; ++i) {
    PendingAppend& append = *round.appends[i].pending;
    std::optional<Result<AppendResult>>& answer = append.answer;
    if (!status.ok()) {
      // What was refused on the strength of requests whose fate is unknown was not written in any case.
      const bool refused = !answer->ok();
      answer.emplace(status.error().code == Errc::kOutcomeUnknown && refused
                         ? make_error(Errc::kFailedPrecondition,
                                      "the store has stopped taking appends: " + status.error().message)
                         : status.error());
    }
    count(*answer);
    append.answered.store(true);
  }
  return to;
}

Status Appender::commit() {
  const auto block = builder_.build(planner_.contents(end_.epoch, end_.hash));
  hasher_.start(block);
  const auto started = std::chrono::steady_clock::now();
  const Status written = parts_.log.append({end_.last_position.value + 1}, end_.epoch, block);
  const auto took = std::chrono::steady_clock::now() - started;
  const Sha256 hash = hasher_.finish();
  if (!written.ok()) {
    const Errc code = written.error().code;
    if (code != Errc::kDiskFull && code != Errc::kIo) stop(written.error());
    return written;
  }
  end_.hash = hash;
  BlockSummary summary = planner_.summary(end_.hash);
  end_.last_position = summary.last_position();
  end_.recorded_at = summary.recorded_at;
  parts_.tail.apply(summary);
  {
    std::lock_guard lock(hash_mutex_);
    published_hash_ = end_.hash;
  }
  counters_.events += summary.events.size();
  ++counters_.commits;
  counters_.block_bytes += block.size();
  counters_.commit_micros +=
      static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::microseconds>(took).count());
  parts_.news.publish(end_.last_position);
  if (options_.on_commit) options_.on_commit({summary.events.size(), block.size(), took});
  return {};
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
  } else {
    ++counters_.refused;
  }
}

Sha256 Appender::head_hash() const {
  std::lock_guard lock(hash_mutex_);
  return published_hash_;
}

}  // namespace cairn
