#include "projections/aggregates/state_reader.h"

#include <utility>

namespace cairn {

namespace {

// Definitions change seldom; a read during which they did is made again, so that nobody gets a state of two
// halves.
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

StateOutcome StateReader::state_at(std::string_view stream, const StateQuery& query) {
  const std::string name(stream);
  for (int attempt = 1;; ++attempt) {
    const std::uint64_t before = changes();
    if (aggregates_.find(category_of(stream)) == nullptr) {
      return problem(StateProblem::Kind::kNoAggregate,
                     "category '" + std::string(category_of(stream)) + "' has no aggregate");
    }
    auto version = version_of(name, query);
    if (auto* none = std::get_if<StateProblem>(&version)) return std::move(*none);
    StateOutcome outcome = read(name, std::get<StreamVersion>(version));
    if (changes() == before || attempt == kAttemptsMax) return outcome;
  }
}

std::variant<StreamVersion, StateProblem> StateReader::version_of(const std::string& stream,
                                                                  const StateQuery& query) {
  auto info = store_.stream_info(stream);
  if (!info) return store_problem(info.error());
  if (!*info) return problem(StateProblem::Kind::kNoStream, "there is no stream '" + stream + "'");
  const StreamVersion head = (*info)->version;
  switch (query.kind) {
    case StateQuery::Kind::kHead:
      return head;
    case StateQuery::Kind::kVersion:
      if (query.version.value == 0) return problem(StateProblem::Kind::kInvalid, "versions begin with 1");
      if (query.version <= head) return query.version;
      return problem(StateProblem::Kind::kNoVersion,
                     "'" + stream + "' has no version " + std::to_string(query.version.value) +
                         "; it is at " + std::to_string(head.value),
                     head);
    case StateQuery::Kind::kTime:
      break;
  }
  return version_at(**info, query.time);
}

// Times never fall along a stream, so the last event that was recorded by then can be searched for by halves.
std::variant<StreamVersion, StateProblem> StateReader::version_at(const StreamInfo& info, Timestamp time) {
  if (time < info.created_at) {
    return problem(StateProblem::Kind::kBeforeFirst,
                   "the time is before the first event of '" + info.stream + "'", {1});
  }
  std::uint64_t known = 1;                        // recorded by then
  std::uint64_t beyond = info.version.value + 1;  // not
  if (info.updated_at <= time) return info.version;
  while (beyond - known > 1) {
    const std::uint64_t middle = known + (beyond - known) / 2;
    const auto page = store_.read_stream(info.stream, {.from = StreamVersion{middle}, .limit = 1});
    if (!page) return store_problem(page.error());
    (!page->events.empty() && page->events[0].recorded_at <= time ? known : beyond) = middle;
  }
  return StreamVersion{known};
}

std::variant<FoldPool::Loan, StateProblem> StateReader::lend(std::string_view stream) {
  const auto aggregate = aggregates_.find(category_of(stream));
  if (aggregate == nullptr) {
    return problem(StateProblem::Kind::kNoAggregate,
                   "category '" + std::string(category_of(stream)) + "' has no aggregate");
  }
  auto loan = folds_.lend(aggregate);
  if (auto* error = std::get_if<ScriptError>(&loan)) {
    StateProblem made = problem(StateProblem::Kind::kScript, error->text());
    made.script = std::move(*error);
    return made;
  }
  return std::get<FoldPool::Loan>(std::move(loan));
}

std::optional<StateProblem> StateReader::fold(StreamFold& fold, const std::string& stream,
                                              StreamVersion version) {
  if (auto failed = fold.begin(store_, stream, version)) return failed;
  ++folded_;
  if (fold.snapshot_version().value > 0) ++hits_;
  if (fold.miss()) ++misses_[static_cast<std::size_t>(*fold.miss())];
  auto failed = fold.run_to(store_, version);
  events_ += fold.events_folded();
  return failed;
}

StateOutcome StateReader::read(const std::string& stream, StreamVersion version) {
  auto lent = lend(stream);
  if (auto* none = std::get_if<StateProblem>(&lent)) return std::move(*none);
  StreamFold& fold = *std::get<FoldPool::Loan>(lent);
  if (auto failed = this->fold(fold, stream, version)) return *std::move(failed);
  StreamState state;
  if (auto failed = fold.append_json(state.json)) return *std::move(failed);
  state.stream = stream;
  state.version = fold.version();
  state.position = fold.position();
  state.recorded_at = fold.recorded_at();
  state.fingerprint = fold.aggregate().info().fingerprint;
  state.snapshot_version = fold.snapshot_version();
  state.events_folded = fold.events_folded();

  const std::uint64_t every = fold.aggregate().info().snapshot_every;
  if (offer_ && every > 0 && state.events_folded >= every) {
    if (auto snapshot = fold.snapshot()) {
      offer_(*std::move(snapshot), fold.unusable());
    } else {
      count_unsavable();
    }
  }
  return state;
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
