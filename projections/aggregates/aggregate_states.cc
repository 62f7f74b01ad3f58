#include "projections/aggregates/aggregate_states.h"

#include <utility>

#include "projections/aggregates/snapshot_codec.h"
#include "projections/aggregates/snapshot_follower.h"
#include "projections/aggregates/snapshot_job.h"
#include "projections/aggregates/snapshot_writer.h"
#include "projections/aggregates/state_reader.h"

namespace cairn {

namespace {

StateProblem unsavable(const std::string& stream) {
  StateProblem problem;
  problem.kind = StateProblem::Kind::kScript;
  problem.message = "the state of '" + stream +
                    "' cannot be saved: JSON cannot hold it, a table stands in it twice, or it is too large";
  return problem;
}

}  // namespace

AggregateStates::AggregateStates(EventStore& store, EventShapes& shapes,
                                 const AggregateStatesOptions& options)
    : store_(store), aggregates_(store, options.log) {
  StateReader::Offer offer;
  if (options.automatic == AggregateStatesOptions::Automatic::kYes) {
    writer_ = std::make_unique<SnapshotWriter>(store);
    offer = [this](SnapshotRecord snapshot, std::vector<SnapshotKey> drop) {
      writer_->offer(std::move(snapshot), std::move(drop));
    };
  }
  reader_ = std::make_unique<StateReader>(store, shapes, aggregates_, options.log, std::move(offer));
}

Result<std::unique_ptr<AggregateStates>> AggregateStates::open(EventStore& store, EventShapes& shapes,
                                                               AggregateStatesOptions options) {
  std::unique_ptr<AggregateStates> states(new AggregateStates(store, shapes, options));
  CAIRN_CHECK(states->aggregates_.catch_up());
  if (states->writer_ != nullptr) {
    states->follower_ = std::make_unique<SnapshotFollower>(
        store, states->aggregates_, [raw = states.get()](const std::string& stream, StreamVersion version) {
          raw->on_due(stream, version);
        });
  }
  return states;
}

AggregateStates::~AggregateStates() {
  stopping_ = true;
  follower_.reset();
}

StateResult<StreamState> AggregateStates::state_at(std::string_view stream, const StateQuery& query,
                                                   WorkBudget* budget) {
  return reader_->state_at(stream, query, budget);
}

// Failures are not reported here: the next read of the stream reports them.
void AggregateStates::on_due(const std::string& stream, StreamVersion version) {
  const auto lent = reader_->lend(stream);
  if (!lent) return;
  StreamFold& fold = **lent;
  WorkBudget budget;
  budget.cancel_with(stopping_);
  if (!reader_->fold(fold, stream, version, &budget) || fold.snapshot_version() == version) return;
  if (auto snapshot = fold.snapshot()) {
    writer_->offer(*std::move(snapshot), fold.unusable());
  } else {
    reader_->count_unsavable();
  }
}

StateResult<SnapshotMade> AggregateStates::snapshot_stream(std::string_view stream, WorkBudget* budget) {
  const std::string name(stream);
  CAIRN_TRY(const FoldPool::Lease lent, reader_->lend(name));
  StreamFold& fold = *lent;
  CAIRN_TRY(const StreamVersion head, reader_->version_of(name, StateQuery::head()));
  CAIRN_CHECK(reader_->fold(fold, name, head, budget));
  if (fold.snapshot_version() == head) return SnapshotMade{head, true, fold.snapshot_bytes(), 0};
  const auto snapshot = fold.snapshot();
  if (!snapshot) {
    reader_->count_unsavable();
    return unsavable(name);
  }
  const std::vector<SnapshotRecord> one{*snapshot};
  CAIRN_CHECK(store_.put_snapshots(one, fold.unusable()));
  return SnapshotMade{head, false, snapshot->bytes.size(), fold.events_folded()};
}

Result<SnapshotReport> AggregateStates::snapshot_all(const std::string& category,
                                                     const SnapshotAllOptions& options) {
  if (aggregates_.find(category) == nullptr) {
    return make_error(Errc::kNotFound, "category '" + category + "' has no aggregate");
  }
  return SnapshotJob(store_, *reader_, category, options).run();
}

Result<std::vector<SnapshotDescription>> AggregateStates::snapshots(std::string_view stream) {
  CAIRN_TRY(const auto listed, store_.list_snapshots(stream));
  const auto lent = reader_->lend(stream);
  std::vector<SnapshotDescription> described;
  for (const SnapshotInfo& info : listed) {
    SnapshotDescription& one = described.emplace_back(SnapshotDescription{info.version, info.bytes});
    CAIRN_TRY(const SnapshotSearch found, store_.find_snapshot(stream, info.version));
    const bool there = found.newest && found.newest->version == info.version;
    const auto snapshot = there ? decode_snapshot(found.newest->bytes) : std::nullopt;
    if (!snapshot) {
      one.unusable = SnapshotMiss::kDamaged;
      continue;
    }
    one.position = snapshot->position;
    one.recorded_at = snapshot->recorded_at;
    one.unusable = lent ? (*lent)->load(*found.newest) : std::optional(SnapshotMiss::kAggregate);
  }
  return described;
}

bool AggregateStates::wait_for_snapshots(std::chrono::milliseconds timeout) {
  if (writer_ == nullptr) return true;
  const auto until = std::chrono::steady_clock::now() + timeout;
  if (!follower_->wait_until(store_.head(), timeout)) return false;
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - std::chrono::steady_clock::now());
  return writer_->wait_until_written(std::max(left, std::chrono::milliseconds(0)));
}

StateStats AggregateStates::stats() const {
  StateStats stats = reader_->stats();
  if (writer_ != nullptr) {
    stats.snapshots_written = writer_->written();
    stats.snapshots_dropped = writer_->dropped();
  }
  return stats;
}

}  // namespace cairn
