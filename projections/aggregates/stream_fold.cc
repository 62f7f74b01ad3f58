#include "projections/aggregates/stream_fold.h"

#include <algorithm>
#include <utility>

#include "eventstore/base/limits.h"
#include "projections/aggregates/snapshot_codec.h"
#include "upcasters/model/unreadable.h"

namespace cairn {

namespace {

// A page is held in memory while its events are taken in.
constexpr std::size_t kPageEvents = 4'096;
constexpr std::size_t kPageBytes = 4u << 20;

}  // namespace

StateProblem store_problem(Error error) {
  StateProblem problem;
  problem.kind = StateProblem::Kind::kStore;
  problem.message = error.message;
  problem.error = std::move(error);
  return problem;
}

StreamFold::StreamFold(std::shared_ptr<const Aggregate> aggregate, std::unique_ptr<AggregateState> state,
                       Chains& chains, LuaHost::Log log)
    : aggregate_(std::move(aggregate)), state_(std::move(state)), shaper_(chains, std::move(log)) {
  shaper_.record(&uses_);
}

std::variant<std::unique_ptr<StreamFold>, ScriptError> StreamFold::make(
    std::shared_ptr<const Aggregate> aggregate, Chains& chains, LuaHost::Log log) {
  auto state = aggregate->make_state();
  if (auto* error = std::get_if<ScriptError>(&state)) return std::move(*error);
  return std::unique_ptr<StreamFold>(
      new StreamFold(std::move(aggregate), std::get<std::unique_ptr<AggregateState>>(std::move(state)),
                     chains, std::move(log)));
}

void StreamFold::refresh() {
  if (shaper_.refresh()) state_->forget_plans();
}

std::optional<StateProblem> StreamFold::begin(EventStore& store, const std::string& stream,
                                              StreamVersion version) {
  stream_ = stream;
  miss_.reset();
  unusable_.clear();
  const auto pass_over = [&](StreamVersion at, SnapshotMiss why) {
    if (!miss_) miss_ = why;
    unusable_.push_back({stream_, at});
  };
  for (StreamVersion at_most = version; at_most.value > 0;) {
    auto found = store.find_snapshot(stream_, at_most);
    if (!found) return store_problem(found.error());
    for (const StreamVersion damaged : found->damaged) pass_over(damaged, SnapshotMiss::kDamaged);
    if (!found->newest) break;
    const auto missed = load(*found->newest);
    if (!missed) return std::nullopt;
    pass_over(found->newest->version, *missed);
    at_most = {found->newest->version.value - 1};
  }
  if (!miss_) miss_ = SnapshotMiss::kNone;
  uses_.clear();
  version_ = snapshot_version_ = {};
  position_ = {};
  recorded_at_ = {};
  snapshot_bytes_ = 0;
  if (auto fault = state_->reset()) return problem_of(*std::move(fault), nullptr);
  return std::nullopt;
}

std::optional<SnapshotMiss> StreamFold::load(const SnapshotRecord& record) {
  const auto snapshot = decode_snapshot(record.bytes);
  if (!snapshot) return SnapshotMiss::kDamaged;
  if (snapshot->aggregate != aggregate_->info().fingerprint) return SnapshotMiss::kAggregate;
  uses_.clear();
  for (const RememberedChain& remembered : snapshot->chains) {
    const Chain* const chain = shaper_.find_unchanged(remembered);
    if (chain == nullptr) return SnapshotMiss::kShapes;
    uses_.add(*chain, remembered.made_at);
  }
  if (!state_->load(snapshot->state)) return SnapshotMiss::kDamaged;
  version_ = snapshot_version_ = record.version;
  position_ = snapshot->position;
  recorded_at_ = snapshot->recorded_at;
  snapshot_bytes_ = record.bytes.size();
  return std::nullopt;
}

std::optional<StateProblem> StreamFold::run_to(EventStore& store, StreamVersion version) {
  while (version_ < version) {
    const StreamQuery query{.from = StreamVersion{version_.value + 1},
                            .limit = std::min<std::uint64_t>(version.value - version_.value, kPageEvents),
                            .bytes_max = kPageBytes};
    const auto page = store.read_stream(stream_, query);
    if (!page) return store_problem(page.error());
    if (page->events.empty()) {
      return store_problem(make_error(
          Errc::kCorruption, "'" + stream_ + "' has no version " + std::to_string(version_.value + 1)));
    }
    for (const EventView& event : page->events) {
      if (auto problem = take(event)) return problem;
    }
  }
  return std::nullopt;
}

std::optional<StateProblem> StreamFold::take(const EventView& event) {
  if (auto fault = shaper_.shape(event, Shape::latest())) {
    StateProblem problem;
    problem.kind = StateProblem::Kind::kShape;
    problem.message = fault->message;
    problem.position = event.position;
    problem.version = event.version;
    problem.shape = *std::move(fault);
    return problem;
  }
  for (const ShapedEvent& part : shaper_.parts()) {
    if (!state_->wants(part.type)) continue;
    if (auto fault = state_->apply(event, part)) {
      if (auto* error = std::get_if<Error>(&*fault); error != nullptr && error->code == Errc::kCorruption) {
        StateProblem problem;
        problem.kind = StateProblem::Kind::kShape;
        problem.shape = unreadable(event, part, *error);
        problem.message = problem.shape->message;
        problem.position = event.position;
        problem.version = event.version;
        return problem;
      }
      return problem_of(*std::move(fault), &event);
    }
  }
  version_ = event.version;
  position_ = event.position;
  recorded_at_ = event.recorded_at;
  return std::nullopt;
}

StateProblem StreamFold::problem_of(FoldFault fault, const EventView* event) {
  spent_ = true;
  StateProblem problem;
  if (auto* error = std::get_if<Error>(&fault)) {
    problem = store_problem(std::move(*error));
  } else {
    problem.kind = StateProblem::Kind::kScript;
    problem.script = std::get<ScriptError>(std::move(fault));
    problem.message = problem.script->text();
  }
  if (event != nullptr) {
    problem.position = event->position;
    problem.version = event->version;
    problem.message += " (on " + std::string(event->type) + ", version " +
                       std::to_string(event->version.value) + " of '" + stream_ + "')";
  }
  return problem;
}

std::optional<StateProblem> StreamFold::append_json(std::string& to) {
  if (auto fault = state_->append_json(to)) return problem_of(*std::move(fault), nullptr);
  return std::nullopt;
}

std::optional<SnapshotRecord> StreamFold::snapshot() {
  std::string saved;
  if (version_.value == 0 || !state_->save(saved)) return std::nullopt;
  Snapshot snapshot{position_, recorded_at_, aggregate_->info().fingerprint, {}, saved};
  for (const ChainUse& use : uses_.all()) {
    snapshot.chains.push_back(
        {use.chain->type, use.chain->schemas.front()->id, use.chain->fingerprint, use.made_at});
  }
  SnapshotRecord record{stream_, version_, encode_snapshot(snapshot)};
  if (record.bytes.size() > limits::kSnapshotBytesMax) return std::nullopt;
  return record;
}

}  // namespace cairn
