#include "projections/aggregates/stream_fold.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <utility>
#include <variant>

#include "eventstore/base/assert.h"
#include "eventstore/base/limits.h"
#include "projections/aggregates/snapshot_codec.h"
#include "upcasters/model/unreadable.h"

namespace cairn {

namespace {

// A page is held in memory while its events are applied.
constexpr std::size_t kPageEvents = 4'096;
constexpr std::size_t kPageBytes = 4u << 20;

// Charges the events of a fold. A budget looks at its clocks after many steps, which a slow script would take
// minutes for; so it also has to after this time.
class FoldCharge {
 public:
  explicit FoldCharge(WorkBudget* budget) : budget_(budget) {}

  bool charge(const EventView& event) {
    if (budget_ == nullptr) return true;
    const auto now = std::chrono::steady_clock::now();
    if (now - checked_ < kUncheckedMax) return budget_->charge(1 + event.data.size() / kBytesPerStep);
    checked_ = now;
    return budget_->charge(WorkBudget::kStepsBetweenChecks);
  }

 private:
  static constexpr std::chrono::milliseconds kUncheckedMax{10};
  static constexpr std::size_t kBytesPerStep = 64;

  WorkBudget* const budget_;
  std::chrono::steady_clock::time_point checked_ = {};  // long ago: the first event checks
};

}  // namespace

StreamFold::StreamFold(std::shared_ptr<const Aggregate> aggregate, std::unique_ptr<AggregateState> state,
                       Chains& chains, LuaHost::Log log)
    : aggregate_(std::move(aggregate)), state_(std::move(state)), shaper_(chains, std::move(log)) {
  shaper_.record(&uses_);
}

ScriptResult<std::unique_ptr<StreamFold>> StreamFold::make(std::shared_ptr<const Aggregate> aggregate,
                                                           Chains& chains, LuaHost::Log log) {
  CAIRN_TRY(std::unique_ptr<AggregateState> state, aggregate->make_state());
  return std::unique_ptr<StreamFold>(
      new StreamFold(std::move(aggregate), std::move(state), chains, std::move(log)));
}

void StreamFold::refresh() {
  if (shaper_.refresh()) state_->forget_plans();
}

StateResult<void> StreamFold::begin(EventStore& store, const std::string& stream, StreamVersion version) {
  stream_ = stream;
  miss_.reset();
  unusable_.clear();
  const auto skip = [&](StreamVersion at, SnapshotMiss why) {
    if (!miss_) miss_ = why;
    unusable_.push_back({stream_, at});
  };
  for (StreamVersion at_most = version; at_most.value > 0;) {
    CAIRN_TRY(const SnapshotSearch found, store.find_snapshot(stream_, at_most));
    for (const StreamVersion damaged : found.damaged) skip(damaged, SnapshotMiss::kDamaged);
    if (!found.newest) break;
    CAIRN_ASSERT(found.newest->version <= at_most, found.newest->version.value, at_most.value);
    const auto missed = load(*found.newest);
    if (!missed) return {};
    skip(found.newest->version, *missed);
    at_most = {found.newest->version.value - 1};
  }
  if (!miss_) miss_ = SnapshotMiss::kNone;
  uses_.clear();
  version_ = snapshot_version_ = {};
  position_ = {};
  recorded_at_ = {};
  snapshot_bytes_ = 0;
  if (auto reset = state_->reset(); !reset) return problem_of(std::move(reset).error(), nullptr);
  return {};
}

std::optional<SnapshotMiss> StreamFold::load(const SnapshotRecord& record) {
  const auto snapshot = decode_snapshot(record.bytes);
  if (!snapshot) return SnapshotMiss::kDamaged;
  // Invariant 2 of AggregateStates: the same aggregate, and the same chain for every type and schema.
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

StateResult<void> StreamFold::run_to(EventStore& store, StreamVersion version, WorkBudget* budget) {
  CAIRN_ASSERT(version_ <= version, version_.value, version.value);
  FoldCharge charge(budget);
  while (version_ < version) {
    const StreamQuery query{.from = StreamVersion{version_.value + 1},
                            .limit = std::min<std::uint64_t>(version.value - version_.value, kPageEvents),
                            .bytes_max = kPageBytes};
    CAIRN_TRY(const StreamPage page, store.read_stream(stream_, query));
    if (page.events.empty()) {
      return make_error(Errc::kCorruption,
                        fmt::format("'{}' has no version {}", stream_, version_.value + 1));
    }
    for (const EventView& event : page.events) {
      // Invariant 1 of AggregateStates: no event is left out or applied twice.
      CAIRN_ASSERT(event.version.value == version_.value + 1, event.version.value, version_.value);
      if (!charge.charge(event)) {
        return budget->error(
            fmt::format("{} of {} events of '{}' were folded", version_.value, version.value, stream_));
      }
      CAIRN_CHECK(take(event));
    }
  }
  return {};
}

StateResult<void> StreamFold::take(const EventView& event) {
  if (auto shaped = shaper_.shape(event, Shape::latest()); !shaped) {
    return problem_of(std::move(shaped).error(), event);
  }
  for (const ShapedEvent& part : shaper_.parts()) {
    if (!state_->wants(part.type)) continue;
    if (auto applied = state_->apply(event, part); !applied) {
      const auto* error = std::get_if<Error>(&applied.error());
      if (error != nullptr && error->code == Errc::kCorruption) {
        return problem_of(unreadable(event, part, *error), event);
      }
      return problem_of(std::move(applied).error(), &event);
    }
  }
  version_ = event.version;
  position_ = event.position;
  recorded_at_ = event.recorded_at;
  return {};
}

StateProblem StreamFold::problem_of(ShapeFault fault, const EventView& event) {
  StateProblem problem{.kind = StateProblem::Kind::kShape, .message = fault.message};
  problem.position = event.position;
  problem.version = event.version;
  problem.shape = std::move(fault);
  return problem;
}

StateProblem StreamFold::problem_of(FoldFault fault, const EventView* event) {
  broken_ = true;
  StateProblem problem =
      std::visit([](auto error) { return convert_error(ErrorKind<StateProblem>{}, std::move(error)); },
                 std::move(fault));
  if (event != nullptr) {
    problem.position = event->position;
    problem.version = event->version;
    problem.message +=
        fmt::format(" (on {}, version {} of '{}')", event->type, event->version.value, stream_);
  }
  return problem;
}

StateResult<void> StreamFold::append_json(std::string& to) {
  if (auto written = state_->append_json(to); !written) {
    return problem_of(std::move(written).error(), nullptr);
  }
  return {};
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
