// How a generation goes over events once more: to bring a row back to what it was before an event failed, and
// to apply what was parked.

#include <algorithm>
#include <map>
#include <utility>

#include "projections/generation/apply_fault.h"
#include "projections/generation/generation.h"

namespace cairn {

namespace {

// Positions closer together than this are read in one go.
constexpr std::uint64_t kGapMax = 64;

constexpr std::size_t kWaitingPage = 10'000;

}  // namespace

Status Generation::redo(RowKey key, const std::vector<GlobalPosition>& positions,
                        std::optional<ParkedEvent> cut, CheckRow check) {
  Partition& partition = partition_of(key);
  const std::vector<GlobalPosition> known = partition.applied_to(key);
  auto end = positions.end();
  std::uint32_t slot = 0;
  // Each turn ends earlier than the one before: what is left of the events is known to go well.
  while (true) {
    if (cut) {
      end = std::find_if(positions.begin(), end, [&](GlobalPosition one) { return one >= cut->position; });
    }
    CAIRN_TRY(slot, partition.reload(*model_, key));
    const std::span<const GlobalPosition> before(positions.begin(), end);
    CAIRN_TRY(auto failed, run_events(key, slot, partition.rows(), before, check));
    if (!failed) break;
    cut = std::move(failed);
  }
  if (end != positions.begin()) partition.set_changed(slot);
  for (auto one = positions.begin(); one != end; ++one) {
    if (!std::binary_search(known.begin(), known.end(), *one)) partition.note_applied(key, *one);
  }
  if (!cut) return {};
  const ParkedPlace place{ParkedPlace::By::kKey, std::string(key.text)};
  park(place, *std::move(cut));
  for (; end != positions.end(); ++end) wait_at(place, *end);
  return {};
}

Result<std::optional<ParkedEvent>> Generation::run_events(RowKey key, std::uint32_t slot,
                                                          ProjectionRows& rows,
                                                          std::span<const GlobalPosition> positions,
                                                          CheckRow check) {
  for (std::size_t next = 0; next < positions.size();) {
    std::size_t last = next;
    while (last + 1 < positions.size() && positions[last + 1].value - positions[last].value <= kGapMax)
      ++last;
    CAIRN_TRY(const auto batch,
              tools_.source.read_alone({positions[next].value - 1}, positions[last], filter()));
    rows.forget_plans();
    for (const EventBatch::Event& event : batch->events()) {
      if (next == positions.size() || event.stored.position < positions[next]) continue;
      if (event.stored.position > positions[next]) break;  // It is of another kind by now.
      ++next;
      if (auto failed = run_event(key, slot, rows, *batch, event, check)) {
        rows.forget_plans();
        return failed;
      }
    }
    rows.forget_plans();
    // Also what is no longer there to be applied is behind us.
    while (next < positions.size() && positions[next] <= batch->to()) ++next;
  }
  return std::optional<ParkedEvent>();
}

std::optional<ParkedEvent> Generation::run_event(RowKey key, std::uint32_t slot, ProjectionRows& rows,
                                                 const EventBatch& batch, const EventBatch::Event& event,
                                                 CheckRow check) {
  const Timestamp now = tools_.options.clock();
  if (is_skipped(event.stored, key.text)) return std::nullopt;
  if (event.fault != nullptr) return parked_event(event.stored, *event.fault, now);
  std::string found;
  std::string elsewhere;
  bool is_here = false;
  for (const ShapedEvent& part : batch.parts(event)) {
    if (!choice_.wants_type(part.type)) continue;
    if (auto fault = rows.key_of(event.stored, part, found)) {
      return parked_event(event.stored, part, *fault, now);
    }
    if (found != key.text) {
      if (!found.empty()) elsewhere = found;
      continue;
    }
    is_here = true;
    if (auto fault = rows.apply(slot, event.stored, part)) {
      return parked_event(event.stored, part, *fault, now);
    }
    if (check == CheckRow::kAtCommit) continue;
    std::string saved;
    if (auto fault = rows.save(slot, saved)) return parked_event(event.stored, part, *fault, now);
  }
  if (is_here || elsewhere.empty()) return std::nullopt;
  return parked_event(
      event.stored, {},
      make_error(Errc::kFailedPrecondition, "its key is '" + elsewhere +
                                                "' by now, and that row has gone on without it: "
                                                "only a rebuild can put it in its place"),
      now);
}

Result<std::vector<GlobalPosition>> Generation::all_waiting(const ParkedPlace& place) {
  std::vector<GlobalPosition> all;
  while (true) {
    const GlobalPosition from{all.empty() ? 1 : all.back().value + 1};
    CAIRN_TRY(const auto page, model_->waiting(place, from, kWaitingPage));
    all.insert(all.end(), page.begin(), page.end());
    if (page.size() < kWaitingPage) return all;
  }
}

Result<std::uint64_t> Generation::retry(const ParkedPlace& place) {
  CAIRN_CHECK(commit());
  CAIRN_TRY(const auto entry, model_->find_parked(place));
  if (!entry) return std::uint64_t{0};
  return place.by == ParkedPlace::By::kKey ? retry_key(*entry) : retry_stream(*entry);
}

std::uint64_t Generation::count_skipped(const ParkedPlace& place,
                                        const std::vector<GlobalPosition>& positions) const {
  if (skipped_ == nullptr || skipped_->empty()) return 0;
  return static_cast<std::uint64_t>(
      std::count_if(positions.begin(), positions.end(),
                    [&](GlobalPosition one) { return skipped_->contains(one, place.by, place.name); }));
}

Result<std::uint64_t> Generation::retry_key(const ParkedEntry& entry) {
  CAIRN_TRY(const auto positions, all_waiting(entry.place));
  const RowKey key = RowKey::of(entry.place.name);
  released_.insert(entry.place);
  parked_keys_.erase(entry.place.name);
  CAIRN_CHECK(redo(key, positions, std::nullopt, CheckRow::kEachEvent));
  std::uint64_t applied = positions.size() - count_skipped(entry.place, positions);
  if (const auto again = pending_.find(entry.place); again != pending_.end()) {
    applied -= again->second.waiting.size() - count_skipped(entry.place, again->second.waiting);
    if (again->second.event->position == entry.event.position) {
      again->second.event->retries = entry.event.retries + 1;
      again->second.event->parked_at = entry.event.parked_at;
    }
  }
  CAIRN_CHECK(commit());
  return applied;
}

// The keys of these events were not known, so rows they belong to may have gone on without them: such rows
// are made anew from the whole log.
Result<std::uint64_t> Generation::retry_stream(const ParkedEntry& entry) {
  CAIRN_TRY(const auto positions, all_waiting(entry.place));
  const Timestamp now = tools_.options.clock();
  ProjectionRows& rows = partitions_[0]->rows();
  std::set<std::string> keys;
  std::optional<ParkedEvent> failed;
  std::size_t done = 0;
  for (; done < positions.size() && !failed; ++done) {
    CAIRN_TRY(const auto batch,
              tools_.source.read_alone({positions[done].value - 1}, positions[done], filter()));
    rows.forget_plans();
    for (const EventBatch::Event& event : batch->events()) {
      if (is_skipped(event.stored)) continue;
      if (event.fault != nullptr) failed = parked_event(event.stored, *event.fault, now);
      for (const ShapedEvent& part : batch->parts(event)) {
        if (!choice_.wants_type(part.type)) continue;
        std::string key;
        if (auto fault = rows.key_of(event.stored, part, key)) {
          failed = parked_event(event.stored, part, *fault, now);
          break;
        }
        if (!key.empty()) keys.insert(std::move(key));
      }
    }
    rows.forget_plans();
    if (failed) break;
  }
  released_.insert(entry.place);
  parked_streams_.erase(entry.place.name);
  if (failed) {
    if (failed->position == entry.event.position) {
      failed->retries = entry.event.retries + 1;
      failed->parked_at = entry.event.parked_at;
    }
    park(entry.place, *std::move(failed));
    for (std::size_t i = done; i < positions.size(); ++i) wait_at(entry.place, positions[i]);
  }
  CAIRN_CHECK(refold(keys));
  CAIRN_CHECK(commit());
  const std::vector<GlobalPosition> tried(positions.begin(),
                                          positions.begin() + static_cast<std::ptrdiff_t>(done));
  return done - count_skipped(entry.place, tried);
}

// REQUIRES: rows have no changes that are not committed.
Status Generation::refold(const std::set<std::string>& keys) {
  struct Behind {
    ParkedEvent event;
    std::vector<GlobalPosition> waiting;
  };
  std::map<std::string, Behind, std::less<>> failed;
  for (const std::string& name : keys) {
    const RowKey key = RowKey::of(name);
    Partition& partition = partition_of(key);
    CAIRN_TRY(const std::uint32_t slot, partition.reload(*model_, key));
    if (!partition.rows().load(slot, "")) return make_error(Errc::kIo, "no new row can be made");
    partition.set_changed(slot);
    const ParkedPlace place{ParkedPlace::By::kKey, name};
    if (parked_keys_.erase(name) > 0) released_.insert(place);
  }
  const Timestamp now = tools_.options.clock();
  std::string name;
  std::string saved;
  std::map<std::string, std::string> before;  // rows as they were before the event, of which parts may fail
  for (GlobalPosition after; after < taken();) {
    CAIRN_TRY(const auto batch, tools_.source.read_alone(after, taken(), filter()));
    forget_plans();
    for (const EventBatch::Event& event : batch->events()) {
      if (event.fault != nullptr || !choice_.wants_stored(event.stored)) continue;
      const auto parked = parked_streams_.find(event.stored.stream);
      if (parked != parked_streams_.end() && event.stored.position >= parked->second) continue;
      before.clear();
      for (const ShapedEvent& part : batch->parts(event)) {
        if (!choice_.wants_type(part.type)) continue;
        if (partitions_[0]->rows().key_of(event.stored, part, name)) continue;
        if (!keys.contains(name) || is_skipped(event.stored, name)) continue;
        if (const auto behind = failed.find(name); behind != failed.end()) {
          behind->second.waiting.push_back(event.stored.position);
          continue;
        }
        const RowKey key = RowKey::of(name);
        Partition& partition = partition_of(key);
        const std::uint32_t slot = partition.slot_in_memory(key);
        saved.clear();
        auto fault = partition.rows().save(slot, saved);
        before.try_emplace(name, saved);
        if (!fault) fault = partition.rows().apply(slot, event.stored, part);
        if (!fault) fault = partition.rows().save(slot, saved);
        if (!fault) continue;
        failed.emplace(name, Behind{parked_event(event.stored, part, *fault, now), {}});
        if (!partition.rows().load(slot, before.at(name))) {
          return make_error(Errc::kIo, "a row cannot be loaded");
        }
      }
    }
    forget_plans();
    after = batch->to();
  }
  for (auto& [key, behind] : failed) {
    const ParkedPlace place{ParkedPlace::By::kKey, key};
    park(place, std::move(behind.event));
    for (const GlobalPosition position : behind.waiting) wait_at(place, position);
  }
  return {};
}

}  // namespace cairn
