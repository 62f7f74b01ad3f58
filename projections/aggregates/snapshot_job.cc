#include "projections/aggregates/snapshot_job.h"

#include <algorithm>
#include <thread>
#include <utility>

namespace cairn {

namespace {

constexpr std::size_t kStreamsAtOnce = 256;  // that a thread takes for itself
constexpr std::size_t kStreamsCounted = 1'000;

constexpr std::size_t kBatchBytes = 8u << 20;

constexpr unsigned kThreadsMax = 64;

}  // namespace

Result<SnapshotReport> SnapshotJob::run() {
  CAIRN_CHECK(count_streams());
  std::vector<std::thread> threads;
  for (unsigned i = 1; i < std::clamp(options_.threads, 1u, kThreadsMax); ++i) {
    threads.emplace_back([this] { work(); });
  }
  work();
  for (std::thread& thread : threads) thread.join();
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
  const std::lock_guard lock(mutex_);
  if (!failure_) failure_ = status.error();
}

Status SnapshotJob::work_off(Batch& batch) {
  while (!should_end()) {
    CAIRN_TRY(const std::vector<StreamInfo> streams, next_streams());
    if (streams.empty()) return {};
    for (const StreamInfo& stream : streams) {
      if (should_end()) return {};
      if (auto error = take(stream, batch)) return *std::move(error);
      if (batch.snapshots.size() >= options_.batch_snapshots || batch.bytes >= kBatchBytes)
        CAIRN_CHECK(write(batch));
    }
    report(batch);
  }
  return {};
}

Result<std::vector<StreamInfo>> SnapshotJob::next_streams() {
  const std::lock_guard lock(mutex_);
  if (!after_) return std::vector<StreamInfo>();
  CAIRN_TRY(StreamList page,
            store_.list_streams({.category = category_, .after = *after_, .limit = kStreamsAtOnce}));
  after_ = std::move(page.next);
  return std::move(page.streams);
}

std::optional<Error> SnapshotJob::take(const StreamInfo& stream, Batch& batch) {
  ++batch.counts.streams;
  auto lent = reader_.lend(stream.stream);
  std::optional<StateProblem> problem;
  if (auto* none = std::get_if<StateProblem>(&lent)) {
    problem = std::move(*none);
  } else {
    StreamFold& fold = *std::get<FoldPool::Loan>(lent);
    problem = reader_.fold(fold, stream.stream, stream.version);
    batch.counts.events_folded += problem ? 0 : fold.events_folded();
    if (!problem && fold.snapshot_version() == stream.version) {
      ++batch.counts.fresh;
      return std::nullopt;
    }
    if (!problem) {
      auto snapshot = fold.snapshot();
      if (!snapshot) {
        ++batch.counts.unsavable;
        reader_.count_unsavable();
        return std::nullopt;
      }
      batch.bytes += snapshot->bytes.size();
      batch.snapshots.push_back(*std::move(snapshot));
      batch.drop.insert(batch.drop.end(), fold.unusable().begin(), fold.unusable().end());
      return std::nullopt;
    }
  }
  // Damage is one stream's; anything else the store says will hold for the next stream too.
  if (problem->kind == StateProblem::Kind::kStore && problem->error &&
      problem->error->code != Errc::kCorruption) {
    return problem->error;
  }
  ++batch.counts.failed;
  if (batch.counts.failures.size() < kSnapshotFailuresMax) {
    batch.counts.failures.push_back({stream.stream, *std::move(problem)});
  }
  return std::nullopt;
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
  const std::lock_guard lock(mutex_);
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
  const std::lock_guard lock(mutex_);
  report_.cancelled = report_.cancelled || cancelled;
  return cancelled || failure_.has_value();
}

}  // namespace cairn
