#include "projections/generation/generation.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "projections/generation/apply_fault.h"

namespace cairn {

namespace {

// With fewer events than this, waking other threads costs more than it saves.
constexpr std::size_t kWorthSharing = 512;

}  // namespace

// The keys that were found for one event, or why there are none.
struct Generation::Routed {
  const EventView* event;
  std::uint32_t first = 0;  // of its parts in the slice
  std::uint32_t count = 0;
  std::unique_ptr<ParkedEvent> failed = nullptr;
};

struct Generation::Slice {
  std::vector<Routed> events;
  std::vector<KeyedPart> parts;
  ByteArena keys;
  std::string key;                          // scratch
  std::vector<GlobalPosition> passed_over;  // events that belong to no row, rising
  bool interrupted = false;
};

Generation::Generation(GenerationTools tools, std::shared_ptr<const Projection> projection,
                       std::shared_ptr<ReadModel> model)
    : tools_(tools),
      projection_(std::move(projection)),
      model_(std::move(model)),
      choice_(projection_->info().from) {}

Result<std::unique_ptr<Generation>> Generation::open(GenerationTools tools,
                                                     std::shared_ptr<const Projection> projection,
                                                     std::shared_ptr<ReadModel> model) {
  std::unique_ptr<Generation> generation(new Generation(tools, std::move(projection), std::move(model)));
  CAIRN_CHECK(generation->make_partitions());
  CAIRN_CHECK(generation->reset());
  return generation;
}

Result<std::unique_ptr<ProjectionRows>> Generation::make_rows() const {
  auto rows = projection_->make_rows();
  if (!rows) return make_error(Errc::kInvalidArgument, rows.error().text());
  return *std::move(rows);
}

Status Generation::make_partitions() {
  const unsigned wanted = tools_.options.partitions > 0 ? tools_.options.partitions : tools_.pool.threads();
  for (unsigned i = 0; i < std::max(1u, wanted); ++i) {
    CAIRN_TRY(auto rows, make_rows());
    partitions_.push_back(std::make_unique<Partition>(std::move(rows)));
    CAIRN_TRY(key_finders_.emplace_back(), make_rows());
  }
  lists_.resize(partitions_.size());
  return {};
}

Status Generation::reset() {
  saved_ = false;
  for (auto& partition : partitions_) partition->forget();
  CAIRN_TRY(checkpoint_, model_->checkpoint());
  CAIRN_CHECK(parked_.load(*model_));
  committed_at_ = tools_.options.clock();
  // Events between the checkpoint and visible() changed nothing, so the committed rows have the log through
  // visible(), and queries were told so.
  if (visible_.load() <= checkpoint_.value) {
    CAIRN_TRY(const ReadModelSize size, model_->size());
    set_visible(checkpoint_, size.passed_over);
  }
  taken_ = visible_.load();
  passed_over_ = passed_over_visible_.load();
  return {};
}

void Generation::set_visible(GlobalPosition through, std::uint64_t passed_over) {
  visible_ = through.value;
  passed_over_visible_ = passed_over;
}

std::uint64_t Generation::passed_over_before(const std::vector<Slice>& slices,
                                             GlobalPosition position) const {
  std::uint64_t count = passed_over_;
  for (const Slice& slice : slices) {
    const auto end = std::lower_bound(slice.passed_over.begin(), slice.passed_over.end(), position);
    count += static_cast<std::uint64_t>(end - slice.passed_over.begin());
  }
  return count;
}

void Generation::release_memory() {
  for (auto& partition : partitions_) partition->release_memory();
  for (auto& list : lists_) std::vector<KeyedPart>().swap(list);
}

const EventFilter& Generation::filter() {
  choice_.refresh(tools_.source.shapes());
  return choice_.filter();
}

bool Generation::suits(const EventBatch& batch) { return covers(batch.filter(), filter()); }

RowReplay Generation::replay() {
  return RowReplay({tools_.source, *model_, choice_, partitions_, parked_, *skipped_, tools_.options.clock,
                    *tools_.interruption});
}

void Generation::forget_plans() {
  for (auto& partition : partitions_) partition->rows().forget_plans();
  for (auto& finder : key_finders_) finder->forget_plans();
}

Status Generation::take(const EventBatch& batch) {
  CAIRN_ASSERT(batch.after() == taken(), batch.after().value, taken().value);
  const bool changes_before = has_changes();
  std::vector<Slice> slices;
  CAIRN_TRY(const auto first_change, distribute(batch, slices));
  // What comes before the first change may have been answered before a crash, and must be visible even if this
  // batch cannot be committed.
  if (!changes_before && first_change)
    set_visible({first_change->value - 1}, passed_over_before(slices, *first_change));
  CAIRN_CHECK(apply_lists());
  CAIRN_CHECK(redo_failures());
  forget_plans();  // The plans go with the batch.
  taken_ = batch.to().value;
  for (const Slice& slice : slices) passed_over_ += slice.passed_over.size();
  if (!has_changes()) set_visible(batch.to(), passed_over_);
  return {};
}

Result<bool> Generation::look_through(const EventBatch& batch) {
  CAIRN_ASSERT(batch.after() == taken() && !has_changes(), batch.after().value, taken().value);
  std::vector<Slice> slices;
  CAIRN_TRY(const auto first_change, distribute(batch, slices));
  forget_plans();
  const GlobalPosition through{first_change ? first_change->value - 1 : batch.to().value};
  set_visible(through, passed_over_before(slices, {through.value + 1}));
  CAIRN_CHECK(reset());
  return !first_change.has_value();
}

Result<std::optional<GlobalPosition>> Generation::distribute(const EventBatch& batch,
                                                             std::vector<Slice>& slices) {
  saved_ = false;
  forget_plans();
  const std::size_t count = batch.events().size();
  const std::size_t slice_count = count >= kWorthSharing ? partitions_.size() : 1;
  slices.resize(slice_count);
  const auto find = [&](std::size_t i) {
    find_keys(batch, count * i / slice_count, count * (i + 1) / slice_count, *key_finders_[i], slices[i]);
  };
  tools_.pool.for_each(slice_count, find);
  if (std::ranges::any_of(slices, &Slice::interrupted)) return Interruption::error();
  return route(slices);
}

void Generation::find_keys(const EventBatch& batch, std::size_t begin, std::size_t end, ProjectionRows& rows,
                           Slice& slice) {
  const Timestamp now = tools_.options.clock();
  slice.events.reserve(end - begin);
  slice.parts.reserve(end - begin);
  Interruption::Poll interrupted(*tools_.interruption);
  for (std::size_t i = begin; i < end; ++i) {
    if (interrupted()) {
      slice.interrupted = true;
      return;
    }
    const EventBatch::Event& event = batch.events()[i];
    if (!choice_.wants_stored(event.stored)) continue;
    Routed routed{&event.stored, static_cast<std::uint32_t>(slice.parts.size())};
    if (event.fault != nullptr) {
      routed.failed = std::make_unique<ParkedEvent>(parked_event(event.stored, *event.fault, now));
    }
    bool is_wanted = false;
    for (const ShapedEvent& part : batch.parts(event)) {
      if (!choice_.wants_type(part.type)) continue;
      is_wanted = true;
      if (const auto keyed = rows.key_of(event.stored, part, slice.key); !keyed) {
        routed.failed = std::make_unique<ParkedEvent>(parked_event(event.stored, part, keyed.error(), now));
        break;
      }
      if (slice.key.empty()) continue;
      RowKey key = RowKey::of(slice.key);
      key.text = slice.keys.copy(slice.key);
      slice.parts.push_back({&event.stored, &part, key});
    }
    routed.count = static_cast<std::uint32_t>(slice.parts.size()) - routed.first;
    if (routed.count > 0 || routed.failed) {
      slice.events.push_back(std::move(routed));
    } else if (is_wanted) {
      slice.passed_over.push_back(event.stored.position);
    }
  }
}

// Decides in the order of the log which events are applied, and which are parked or wait.
std::optional<GlobalPosition> Generation::route(std::vector<Slice>& slices) {
  std::optional<GlobalPosition> first_change;
  const auto changes_at = [&](GlobalPosition position) {
    if (!first_change) first_change = position;
  };
  for (auto& list : lists_) list.clear();
  for (Slice& slice : slices) {
    for (Routed& routed : slice.events) {
      const EventView& event = *routed.event;
      const auto at_stream = [&] { return ParkedPlace{ParkedPlace::By::kStream, std::string(event.stream)}; };
      if (parked_.contains_stream(event.stream)) {
        changes_at(event.position);
        parked_.add_waiting(at_stream(), event.position);
        continue;
      }
      if (skipped_->skips(event)) continue;
      if (routed.failed) {
        changes_at(event.position);
        parked_.park(at_stream(), *std::move(routed.failed));
        continue;
      }
      for (std::uint32_t i = 0; i < routed.count; ++i) {
        const KeyedPart& part = slice.parts[routed.first + i];
        if (skipped_->skips(event, part.key.text)) continue;
        changes_at(event.position);
        if (parked_.contains_key(part.key.text)) {
          parked_.add_waiting({ParkedPlace::By::kKey, std::string(part.key.text)}, event.position);
          continue;
        }
        lists_[part.key.hash % lists_.size()].push_back(part);
      }
    }
  }
  return first_change;
}

Status Generation::apply_lists() {
  const Timestamp now = tools_.options.clock();
  std::size_t total = 0;
  for (const auto& list : lists_) total += list.size();
  std::vector<Status> outcomes(partitions_.size());
  const auto apply = [&](std::size_t i) {
    if (!lists_[i].empty())
      outcomes[i] = partitions_[i]->apply(*model_, lists_[i], now, *tools_.interruption);
  };
  if (total >= kWorthSharing) {
    tools_.pool.for_each(partitions_.size(), apply);
  } else {
    for (std::size_t i = 0; i < partitions_.size(); ++i) apply(i);
  }
  for (Status& outcome : outcomes) CAIRN_CHECK(std::move(outcome));
  return {};
}

// Brings the rows of failed events back to what they were before them.
Status Generation::redo_failures() {
  for (auto& partition : partitions_) {
    const std::vector<Partition::Failure> failures = std::exchange(partition->failures(), {});
    for (const Partition::Failure& failure : failures) {
      const RowKey key = RowKey::of(failure.key);
      std::vector<GlobalPosition> positions = partition->applied_to(key);
      // A part of the event that failed may have been applied before another part of it.
      if (positions.empty() || positions.back() != failure.event.position) {
        positions.push_back(failure.event.position);
      }
      positions.insert(positions.end(), failure.behind.begin(), failure.behind.end());
      const auto failed = failure.second_chance ? std::nullopt : std::optional(failure.event);
      CAIRN_CHECK(replay().redo(key, positions, failed, RowReplay::CheckRow::kAtCommit));
    }
  }
  return {};
}

Status Generation::follow_skipped(std::shared_ptr<const SkippedEvents> skipped) {
  if (skipped == skipped_ || skipped->empty()) return {};  // The list only grows.
  const auto before = std::exchange(skipped_, std::move(skipped));
  const auto leave_out = [&]() -> Status {
    if (has_changes()) CAIRN_CHECK(commit());
    CAIRN_TRY(const auto keys, replay().rows_with_skipped(*before, taken()));
    if (keys.empty()) return {};
    saved_ = false;
    CAIRN_CHECK(replay().refold(keys, taken()));
    return commit();
  };
  Status status = leave_out();
  if (!status) skipped_ = before;
  return status;
}

Status Generation::release_skipped() {
  if (skipped_->empty() || parked_.size() == 0) return {};
  if (has_changes()) CAIRN_CHECK(commit());
  for (const ParkedPlace& place : parked_.places()) {
    CAIRN_TRY(const auto entry, model_->find_parked(place));
    if (!entry || !skipped_->contains(entry->event.position, place.by, place.name)) continue;
    CAIRN_CHECK(retry(place));
  }
  return {};
}

GlobalPosition Generation::parked_reached(std::uint64_t count) const {
  std::vector<GlobalPosition> fresh = parked_.parked_since_commit();
  const std::uint64_t before = parked_.size() - fresh.size();
  if (before >= count) return visible();
  if (parked_.size() < count) return taken();
  std::sort(fresh.begin(), fresh.end());
  return fresh[count - before - 1];
}

Result<std::uint64_t> Generation::retry(const ParkedPlace& place) {
  CAIRN_CHECK(commit());
  CAIRN_TRY(const auto retried, retry_some(place, std::numeric_limits<std::size_t>::max()));
  CAIRN_CHECK(commit());
  return retried.events;
}

Result<RetriedPlace> Generation::retry_some(const ParkedPlace& place, std::size_t events_max) {
  saved_ = false;
  CAIRN_TRY(const auto entry, model_->find_parked(place));
  if (!entry) return RetriedPlace{};
  if (place.by == ParkedPlace::By::kStream) return replay().retry_stream(*entry, taken());
  return replay().retry_key(*entry, events_max);
}

Result<RowTrial> Generation::make_trial() const {
  RowTrial trial;
  CAIRN_TRY(trial.rows, make_rows());
  return trial;
}

Result<RetriedPlace> Generation::try_some(RowTrial& trial, const ParkedPlace& place, std::size_t events_max) {
  CAIRN_TRY(const auto entry, model_->find_parked(place));
  if (!entry) return RetriedPlace{};
  return replay().try_place(trial, *entry, events_max);
}

bool Generation::has_changes() const {
  return parked_.has_changes() || std::any_of(partitions_.begin(), partitions_.end(),
                                              [](const auto& partition) { return partition->has_changes(); });
}

bool Generation::commit_due() const {
  if (!has_changes()) return taken().value >= checkpoint_.value + kCheckpointLagMax;
  std::size_t events = 0;
  std::size_t bytes = 0;
  for (const auto& partition : partitions_) {
    events += partition->applied_count();
    bytes += partition->memory_used();
  }
  const DaemonOptions& options = tools_.options;
  const std::chrono::microseconds passed(options.clock().micros - committed_at_.micros);
  return events >= options.commit_events_max || bytes >= options.cache_bytes_max ||
         passed >= options.commit_every;
}

// A row that cannot be saved is a failure of the event that made it so.
Status Generation::save() {
  if (saved_) return {};
  tools_.pool.for_each(has_changes() ? partitions_.size() : 0,
                       [&](std::size_t i) { partitions_[i]->save_changes(); });
  for (auto& partition : partitions_) {
    while (!partition->unsavable().empty()) {
      const std::vector<std::string> keys = partition->unsavable();
      for (const std::string& name : keys) {
        const RowKey key = RowKey::of(name);
        CAIRN_CHECK(
            replay().redo(key, partition->applied_to(key), std::nullopt, RowReplay::CheckRow::kEachEvent));
      }
      partition->save_changes();
    }
  }
  saved_ = true;
  return {};
}

Status Generation::commit() {
  CAIRN_CHECK(save());
  ReadModelChange change;
  change.through = taken();
  change.passed_over = passed_over_;
  for (const auto& partition : partitions_) {
    for (const Partition::Change& row : partition->changes()) {
      change.rows.push_back({row.key, partition->saved(row)});
    }
  }
  std::sort(change.rows.begin(), change.rows.end(),
            [](const auto& a, const auto& b) { return a.key < b.key; });
  parked_.add_to(change);
  CAIRN_ASSERT(change.through >= checkpoint_, change.through.value, checkpoint_.value);  // invariant 1
  CAIRN_CHECK(model_->commit(change));
  checkpoint_ = taken();
  committed_at_ = tools_.options.clock();
  set_visible(checkpoint_, passed_over_);
  saved_ = false;
  parked_.committed();
  std::size_t bytes = 0;
  for (auto& partition : partitions_) {
    partition->settle();
    bytes += partition->memory_used();
  }
  if (bytes >= tools_.options.cache_bytes_max) {
    for (auto& partition : partitions_) partition->forget();
  }
  return {};
}

}  // namespace cairn
