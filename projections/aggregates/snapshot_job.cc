#include "projections/aggregates/snapshot_job.h"

#include <algorithm>
#include <thread>
#include <utility>

#include "eventstore/base/background_thread.h"

namespace cairn {

namespace {

constexpr std::size_t kStreamsAtOnce = 256;     // taken by a worker in one step
constexpr std::size_t kStreamsCounted = 1'000;  // per page while counting
constexpr std::size_t kBatchBytes = 8u << 20;
constexpr unsigned kThreadsMax = 64;

}  // namespace

Result<SnapshotReport> SnapshotJob::run() {
  CAIRN_CHECK(count_streams());
  std::vector<std::thread> threads;
  for (unsigned i = 1; i < std::clamp(options_.threads, 1u, kThreadsMax); ++i) {
    threads.emplace_back([this] {
      name_this_thread("cairn-snapjob");
      work();
    });
  }
  work();
  for (std::thread& thread : threads) thread.join();
  const MutexLock lock(mutex_);
  if (failure_) return *std::move(failure_);
  return std::move(report_);
}

Status SnapshotJob::count_streams() {
  if (!options_.progress) return {};
  StreamListQuery query{.category = category_, .limit = kStreamsCounted};
  for (;;) {
    CAIRN_TRY(const StreamList page, store_.list_streams(query));
    total_ += page.streams.size();
    if (!page.next) return {};
    query.after = *page.next;
  }
}

void SnapshotJob::work() {
  Batch batch;
  Status status = work_off(batch);
  if (status) status = write(batch);
  report(batch);
  if (status) return;
  const MutexLock lock(mutex_);
  if (!failure_) failure_ = status.error();
}

Status SnapshotJob::work_off(Batch& batch) {
  while (!should_end()) {
    CAIRN_TRY(const std::vector<StreamInfo> streams, next_streams());
    if (streams.empty()) return {};
    for (const StreamInfo& stream : streams) {
      if (should_end()) return {};
      CAIRN_CHECK(take(stream, batch));
      if (batch.snapshots.size() >= options_.batch_snapshots || batch.bytes >= kBatchBytes)
        CAIRN_CHECK(write(batch));
    }
    report(batch);
  }
  return {};
}

Result<std::vector<StreamInfo>> SnapshotJob::next_streams() {
  const MutexLock lock(mutex_);
  if (!after_) return std::vector<StreamInfo>();
  CAIRN_TRY(StreamList page,
            store_.list_streams({.category = category_, .after = *after_, .limit = kStreamsAtOnce}));
  after_ = std::move(page.next);
  return std::move(page.streams);
}

Status SnapshotJob::take(const StreamInfo& stream, Batch& batch) {
  ++batch.counts.streams;
  auto added = add_snapshot(stream, batch);
  if (added) return {};
  // Corruption concerns one stream. Any other failure of the store would repeat with the next stream.
  const StateProblem& problem = added.error();
  if (problem.kind == StateProblem::Kind::kStore && problem.error &&
      problem.error->code != Errc::kCorruption) {
    return *problem.error;
  }
  ++batch.counts.failed;
  if (batch.counts.failures.size() < kSnapshotFailuresMax) {
    batch.counts.failures.push_back({stream.stream, std::move(added).error()});
  }
  return {};
}

StateResult<void> SnapshotJob::add_snapshot(const StreamInfo& stream, Batch& batch) {
  CAIRN_TRY(const FoldPool::Lease lent, reader_.lend(stream.stream));
  StreamFold& fold = *lent;
  WorkBudget budget;
  if (options_.cancel != nullptr) budget.cancel_with(*options_.cancel);
  auto folded = reader_.fold(fold, stream.stream, stream.version, &budget);
  if (budget.end() == WorkEnd::kCancelled) return {};  // should_end() ends the run.
  CAIRN_CHECK(std::move(folded));
  batch.counts.events_folded += fold.events_folded();
  if (fold.snapshot_version() == stream.version) {
    ++batch.counts.fresh;
    return {};
  }
  auto snapshot = fold.snapshot();
  if (!snapshot) {
    ++batch.counts.unsavable;
    reader_.count_unsavable();
    return {};
  }
  batch.bytes += snapshot->bytes.size();
  batch.snapshots.push_back(*std::move(snapshot));
  batch.drop.insert(batch.drop.end(), fold.unusable().begin(), fold.unusable().end());
  return {};
}

Status SnapshotJob::write(Batch& batch) {
  if (batch.snapshots.empty()) return {};
  CAIRN_CHECK(store_.put_snapshots(batch.snapshots, batch.drop));
  batch.counts.made += batch.snapshots.size();
  batch.snapshots.clear();
  batch.drop.clear();
  batch.bytes = 0;
  return {};
}

void SnapshotJob::report(Batch& batch) {
  const MutexLock lock(mutex_);
  SnapshotReport& counts = batch.counts;
  report_.streams += counts.streams;
  report_.made += counts.made;
  report_.fresh += counts.fresh;
  report_.unsavable += counts.unsavable;
  report_.failed += counts.failed;
  report_.events_folded += counts.events_folded;
  for (SnapshotFailure& failure : counts.failures) {
    if (report_.failures.size() < kSnapshotFailuresMax) report_.failures.push_back(std::move(failure));
  }
  counts = {};
  if (options_.progress) {
    options_.progress({report_.streams, std::max(total_, report_.streams), report_.events_folded});
  }
}

bool SnapshotJob::should_end() {
  const bool cancelled = options_.cancel != nullptr && options_.cancel->load(std::memory_order_relaxed);
  const MutexLock lock(mutex_);
  report_.cancelled = report_.cancelled || cancelled;
  return cancelled || failure_.has_value();
}

}  // namespace cairn
