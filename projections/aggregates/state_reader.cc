#include "projections/aggregates/state_reader.h"

#include <fmt/format.h>

#include <utility>

namespace cairn {

namespace {

// A read during which a definition changed is repeated, so that a state is never computed with two versions
// of a definition. Definitions change rarely.
constexpr int kAttemptsMax = 5;

StateProblem problem(StateProblem::Kind kind, std::string message, StreamVersion version = {}) {
  StateProblem made;
  made.kind = kind;
  made.message = std::move(message);
  made.version = version;
  return made;
}

}  // namespace

StateReader::StateReader(EventStore& store, EventShapes& shapes, Aggregates& aggregates, LuaHost::Log log,
                         Offer offer)
    : store_(store),
      shapes_(shapes),
      aggregates_(aggregates),
      folds_(shapes.chains(), std::move(log)),
      offer_(std::move(offer)) {}

StateResult<StreamState> StateReader::state_at(std::string_view stream, const StateQuery& query,
                                               WorkBudget* budget) {
  const std::string name(stream);
  for (int attempt = 1;; ++attempt) {
    const std::uint64_t before = changes();
    if (aggregates_.find(category_of(stream)) == nullptr) {
      return problem(StateProblem::Kind::kNoAggregate,
                     "category '" + std::string(category_of(stream)) + "' has no aggregate");
    }
    CAIRN_TRY(const StreamVersion version, version_of(name, query));
    StateResult<StreamState> state = read(name, version, budget);
    if (changes() == before || attempt == kAttemptsMax) return state;
  }
}

StateResult<StreamVersion> StateReader::version_of(const std::string& stream, const StateQuery& query) {
  CAIRN_TRY(const auto info, store_.stream_info(stream));
  if (!info) return problem(StateProblem::Kind::kNoStream, "there is no stream '" + stream + "'");
  const StreamVersion head = info->version;
  switch (query.kind) {
    case StateQuery::Kind::kHead:
      return head;
    case StateQuery::Kind::kVersion:
      if (query.version.value == 0) return problem(StateProblem::Kind::kInvalid, "versions begin with 1");
      if (query.version <= head) return query.version;
      return problem(
          StateProblem::Kind::kNoVersion,
          fmt::format("'{}' has no version {}; it is at {}", stream, query.version.value, head.value), head);
    case StateQuery::Kind::kTime:
      break;
  }
  return version_at(*info, query.time);
}

// Times never decrease along a stream, so a binary search finds the last event recorded at or before `time`.
StateResult<StreamVersion> StateReader::version_at(const StreamInfo& info, Timestamp time) {
  if (time < info.created_at) {
    return problem(StateProblem::Kind::kBeforeFirst,
                   "the time is before the first event of '" + info.stream + "'", {1});
  }
  std::uint64_t known = 1;                        // recorded at or before `time`
  std::uint64_t beyond = info.version.value + 1;  // recorded later
  if (info.updated_at <= time) return info.version;
  while (beyond - known > 1) {
    const std::uint64_t middle = known + (beyond - known) / 2;
    CAIRN_TRY(const StreamPage page,
              store_.read_stream(info.stream, {.from = StreamVersion{middle}, .limit = 1}));
    (!page.events.empty() && page.events[0].recorded_at <= time ? known : beyond) = middle;
  }
  return StreamVersion{known};
}

StateResult<FoldPool::Lease> StateReader::lend(std::string_view stream) {
  const auto aggregate = aggregates_.find(category_of(stream));
  if (aggregate == nullptr) {
    return problem(StateProblem::Kind::kNoAggregate,
                   "category '" + std::string(category_of(stream)) + "' has no aggregate");
  }
  CAIRN_TRY(FoldPool::Lease loan, folds_.lend(aggregate));
  return loan;
}

StateResult<void> StateReader::fold(StreamFold& fold, const std::string& stream, StreamVersion version,
                                    WorkBudget* budget) {
  CAIRN_CHECK(fold.begin(store_, stream, version));
  ++folded_;
  if (fold.snapshot_version().value > 0) ++hits_;
  if (fold.miss()) ++misses_[static_cast<std::size_t>(*fold.miss())];
  auto folded = fold.run_to(store_, version, budget);
  events_ += fold.events_folded();
  return folded;
}

StateResult<StreamState> StateReader::read(const std::string& stream, StreamVersion version,
                                           WorkBudget* budget) {
  CAIRN_TRY(const FoldPool::Lease lent, lend(stream));
  StreamFold& fold = *lent;
  if (auto folded = this->fold(fold, stream, version, budget); !folded) {
    // The next read of a long stream goes on where this one had to end.
    const auto& error = folded.error().error;
    if (error && error->code == Errc::kBudgetExceeded) offer_snapshot(fold);
    return std::move(folded).error();
  }
  StreamState state;
  CAIRN_CHECK(fold.append_json(state.json));
  state.stream = stream;
  state.version = fold.version();
  state.position = fold.position();
  state.recorded_at = fold.recorded_at();
  state.fingerprint = fold.aggregate().info().fingerprint;
  state.snapshot_version = fold.snapshot_version();
  state.events_folded = fold.events_folded();

  offer_snapshot(fold);
  return state;
}

// After many events; fewer are folded again faster than a snapshot is written.
void StateReader::offer_snapshot(StreamFold& fold) {
  const std::uint64_t every = fold.aggregate().info().snapshot_every;
  if (!offer_ || every == 0 || fold.events_folded() < every) return;
  if (auto snapshot = fold.snapshot()) {
    offer_(*std::move(snapshot), fold.unusable());
  } else {
    count_unsavable();
  }
}

StateStats StateReader::stats() const {
  StateStats stats;
  stats.folds = folded_;
  stats.events_folded = events_;
  stats.snapshot_hits = hits_;
  stats.snapshots_unsavable = unsavable_;
  for (std::size_t i = 0; i < kSnapshotMisses; ++i) stats.snapshot_misses[i] = misses_[i];
  return stats;
}

}  // namespace cairn
