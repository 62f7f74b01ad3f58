#include "projections/generation/row_replay.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "projections/generation/apply_fault.h"

namespace cairn {

namespace {

// Positions closer together than this are read in one scan.
constexpr std::uint64_t kGapMax = 64;

constexpr std::size_t kWaitingPage = 10'000;

// An event that fails again stays parked since it was first parked, and its retries are counted.
void carry_over(const ParkedEvent& before, ParkedEvent& failed) {
  if (failed.position != before.position) return;
  failed.retries = before.retries + 1;
  failed.parked_at = before.parked_at;
}

// One more, to see whether any are left.
std::size_t more_than(std::size_t count) {
  return count == std::numeric_limits<std::size_t>::max() ? count : count + 1;
}

// The next event of a key whose retry goes on later.
ParkedEvent unfinished(const ParkedEvent& before, GlobalPosition next) {
  ParkedEvent event;
  event.position = next;
  event.kind = kUnfinishedKind;
  event.message = "a retry applied the events before this one and did not go on; retry the key";
  event.parked_at = before.parked_at;
  return event;
}

}  // namespace

const EventFilter& RowReplay::filter() {
  parts_.choice.refresh(parts_.source.shapes());
  return parts_.choice.filter();
}

void RowReplay::forget_plans() {
  for (const auto& partition : parts_.partitions) partition->rows().forget_plans();
}

Status RowReplay::redo(RowKey key, const std::vector<GlobalPosition>& positions,
                       std::optional<ParkedEvent> failed, CheckRow check) {
  Partition& partition = partition_of(key);
  const std::vector<GlobalPosition> known = partition.applied_to(key);
  auto end = positions.end();
  Row row{key, 0, partition.rows()};
  // Each turn stops at an earlier event than the one before, so it ends.
  while (true) {
    if (failed) {
      end = std::find_if(positions.begin(), end, [&](GlobalPosition one) { return one >= failed->position; });
    }
    CAIRN_TRY(row.slot, partition.reload(parts_.model, key));
    CAIRN_TRY(auto next, apply_events(row, {positions.begin(), end}, check));
    if (!next) break;
    failed = std::move(next);
  }
  if (end != positions.begin()) partition.set_changed(row.slot);
  for (auto one = positions.begin(); one != end; ++one) {
    if (!std::binary_search(known.begin(), known.end(), *one)) partition.note_applied(key, *one);
  }
  if (!failed) return {};
  const ParkedPlace place{ParkedPlace::By::kKey, std::string(key.text)};
  parts_.parked.park(place, *std::move(failed));
  for (; end != positions.end(); ++end) parts_.parked.add_waiting(place, *end);
  return {};
}

Result<std::optional<ParkedEvent>> RowReplay::apply_events(const Row& row,
                                                           std::span<const GlobalPosition> positions,
                                                           CheckRow check) {
  Interruption::Poll interrupted(parts_.interruption);
  for (std::size_t next = 0; next < positions.size();) {
    std::size_t last = next;
    while (last + 1 < positions.size() && positions[last + 1].value - positions[last].value <= kGapMax) {
      ++last;
    }
    CAIRN_TRY(const auto batch,
              parts_.source.read_alone({positions[next].value - 1}, positions[last], filter()));
    row.rows.forget_plans();
    for (const EventBatch::Event& event : batch->events()) {
      if (next == positions.size() || event.stored.position < positions[next]) continue;
      if (event.stored.position > positions[next]) break;  // An upcaster has made it another type.
      ++next;
      if (interrupted()) {
        row.rows.forget_plans();
        return Interruption::error();
      }
      if (auto failed = apply_event(row, *batch, event, check)) {
        row.rows.forget_plans();
        return failed;
      }
    }
    row.rows.forget_plans();
    // Positions whose events no longer belong to the projection are done too.
    while (next < positions.size() && positions[next] <= batch->to()) ++next;
  }
  return std::optional<ParkedEvent>();
}

std::optional<ParkedEvent> RowReplay::apply_event(const Row& row, const EventBatch& batch,
                                                  const EventBatch::Event& event, CheckRow check) {
  const Timestamp now = parts_.clock();
  if (parts_.skipped.skips(event.stored, row.key.text)) return std::nullopt;
  if (event.fault != nullptr) return parked_event(event.stored, *event.fault, now);
  std::string found;
  std::string elsewhere;
  bool is_here = false;
  for (const ShapedEvent& part : batch.parts(event)) {
    if (!parts_.choice.wants_type(part.type)) continue;
    if (const auto keyed = row.rows.key_of(event.stored, part, found); !keyed) {
      return parked_event(event.stored, part, keyed.error(), now);
    }
    if (found != row.key.text) {
      if (!found.empty()) elsewhere = found;
      continue;
    }
    is_here = true;
    if (const auto applied = row.rows.apply(row.slot, event.stored, part); !applied) {
      return parked_event(event.stored, part, applied.error(), now);
    }
    if (check == CheckRow::kAtCommit) continue;
    std::string ignored;
    if (const auto saved = row.rows.save(row.slot, ignored); !saved) {
      return parked_event(event.stored, part, saved.error(), now);
    }
  }
  if (is_here || elsewhere.empty()) return std::nullopt;
  return parked_event(event.stored, {},
                      make_error(Errc::kFailedPrecondition,
                                 "its key is now '" + elsewhere +
                                     "', and that row has advanced without it: only a rebuild can apply it"),
                      now);
}

Result<std::vector<GlobalPosition>> RowReplay::waiting(const ParkedPlace& place, GlobalPosition from,
                                                       std::size_t most) {
  std::vector<GlobalPosition> all;
  while (all.size() < most) {
    const GlobalPosition next = all.empty() ? from : GlobalPosition{all.back().value + 1};
    const std::size_t limit = std::min(kWaitingPage, most - all.size());
    CAIRN_TRY(const auto page, parts_.model.waiting(place, next, limit));
    all.insert(all.end(), page.begin(), page.end());
    if (page.size() < limit) break;
  }
  return all;
}

std::uint64_t RowReplay::count_skipped(const ParkedPlace& place,
                                       std::span<const GlobalPosition> positions) const {
  if (parts_.skipped.empty()) return 0;
  return static_cast<std::uint64_t>(
      std::count_if(positions.begin(), positions.end(),
                    [&](GlobalPosition one) { return parts_.skipped.contains(one, place.by, place.name); }));
}

Result<RetriedPlace> RowReplay::retry_key(const ParkedEntry& entry, std::size_t events_max) {
  CAIRN_ASSERT(events_max > 0);
  CAIRN_TRY(auto positions, waiting(entry.place, {1}, more_than(events_max)));
  std::optional<GlobalPosition> rest;
  if (positions.size() > events_max) {
    rest = positions.back();
    positions.pop_back();
  } else {
    parts_.parked.release(entry.place);
  }
  CAIRN_CHECK(redo(RowKey::of(entry.place.name), positions, std::nullopt, CheckRow::kEachEvent));
  RetriedPlace retried;
  retried.looked_at = positions.size();
  retried.events = positions.size() - count_skipped(entry.place, positions);
  if (ParkedSet::Pending* const again = parts_.parked.pending(entry.place)) {
    retried.outcome = RetriedPlace::Outcome::kFailed;
    retried.events -= again->waiting.size() - count_skipped(entry.place, again->waiting);
    carry_over(entry.event, *again->event);
    retried.failed = again->event;
  } else if (rest) {
    retried.outcome = RetriedPlace::Outcome::kUnfinished;
    parts_.parked.go_on_at(entry.place, unfinished(entry.event, *rest));
  }
  return retried;
}

// The keys of these events were not known, so the rows they belong to may have advanced without them: such
// rows are folded from the whole log. See docs/decisions.md, on events without a key.
Result<RetriedPlace> RowReplay::retry_stream(const ParkedEntry& entry, GlobalPosition taken) {
  CAIRN_TRY(const auto positions, waiting(entry.place, {1}, std::numeric_limits<std::size_t>::max()));
  std::set<std::string> keys;
  std::size_t done = 0;
  CAIRN_TRY(auto failed, try_keys(parts_.partitions[0]->rows(), positions, done, keys));
  RetriedPlace retried;
  retried.looked_at = positions.size();
  retried.events = done - count_skipped(entry.place, std::span(positions).first(done));
  parts_.parked.release(entry.place);
  if (failed) {
    carry_over(entry.event, *failed);
    retried.outcome = RetriedPlace::Outcome::kFailed;
    retried.failed = failed;
    parts_.parked.park(entry.place, *std::move(failed));
    for (std::size_t i = done; i < positions.size(); ++i)
      parts_.parked.add_waiting(entry.place, positions[i]);
  }
  CAIRN_CHECK(refold(keys, taken));
  return retried;
}

// `done` becomes the number of events before the one that fails.
Result<std::optional<ParkedEvent>> RowReplay::try_keys(ProjectionRows& rows,
                                                       std::span<const GlobalPosition> positions,
                                                       std::size_t& done, std::set<std::string>& keys) {
  std::optional<ParkedEvent> failed;
  Interruption::Poll interrupted(parts_.interruption);
  for (done = 0; done < positions.size(); ++done) {
    if (interrupted()) return Interruption::error();
    CAIRN_TRY(const auto batch,
              parts_.source.read_alone({positions[done].value - 1}, positions[done], filter()));
    rows.forget_plans();
    for (const EventBatch::Event& event : batch->events()) {
      if (!failed && !parts_.skipped.skips(event.stored)) failed = collect_keys(rows, *batch, event, keys);
    }
    rows.forget_plans();
    if (failed) break;
  }
  return failed;
}

Result<RetriedPlace> RowReplay::try_place(RowTrial& trial, const ParkedEntry& entry, std::size_t events_max) {
  CAIRN_ASSERT(events_max > 0);
  const bool is_key = entry.place.by == ParkedPlace::By::kKey;
  if (trial.place != entry.place) {
    trial.place = entry.place;
    trial.next = {1};
    trial.events = 0;
    trial.rows->clear();
    bool loaded = true;
    if (is_key) {
      CAIRN_CHECK(parts_.model.load({entry.place.name}, [&](std::size_t, std::string_view saved) {
        loaded = trial.rows->load(0, saved);
      }));
    }
    if (!loaded)
      return make_error(Errc::kCorruption, "the row of '" + entry.place.name + "' cannot be loaded");
  }
  CAIRN_TRY(auto positions, waiting(entry.place, trial.next, more_than(events_max)));
  std::optional<GlobalPosition> rest;
  if (positions.size() > events_max) {
    rest = positions.back();
    positions.pop_back();
  }
  RetriedPlace retried;
  retried.looked_at = positions.size();
  std::set<std::string> keys;
  std::size_t done = 0;
  if (is_key) {
    const Row row{RowKey::of(entry.place.name), 0, *trial.rows};
    CAIRN_TRY(retried.failed, apply_events(row, positions, CheckRow::kEachEvent));
  } else {
    CAIRN_TRY(retried.failed, try_keys(*trial.rows, positions, done, keys));
  }
  auto end = positions.end();
  if (retried.failed) {
    end = std::find_if(positions.begin(), end, [&](auto one) { return one >= retried.failed->position; });
  }
  const auto applied = std::span(positions.begin(), end);
  trial.events += applied.size() - count_skipped(entry.place, applied);
  if (rest && !retried.failed) {
    trial.next = *rest;
    retried.outcome = RetriedPlace::Outcome::kUnfinished;
    return retried;
  }
  if (retried.failed) retried.outcome = RetriedPlace::Outcome::kFailed;
  retried.events = trial.events;
  trial.place.reset();
  return retried;
}

std::optional<ParkedEvent> RowReplay::collect_keys(ProjectionRows& rows, const EventBatch& batch,
                                                   const EventBatch::Event& event,
                                                   std::set<std::string>& keys) {
  const Timestamp now = parts_.clock();
  if (event.fault != nullptr) return parked_event(event.stored, *event.fault, now);
  std::string key;
  for (const ShapedEvent& part : batch.parts(event)) {
    if (!parts_.choice.wants_type(part.type)) continue;
    if (const auto keyed = rows.key_of(event.stored, part, key); !keyed) {
      return parked_event(event.stored, part, keyed.error(), now);
    }
    if (!key.empty()) keys.insert(key);
  }
  return std::nullopt;
}

// A place that is parked at the skipped event, or before it, has not applied it.
Result<std::set<std::string>> RowReplay::rows_with_skipped(const SkippedEvents& before,
                                                           GlobalPosition taken) {
  std::set<std::string> keys;
  for (const auto& [position, places] : parts_.skipped.events()) {
    if (position > taken) break;
    for (const ParkedPlace& place : places) {
      if (before.contains(position, place.by, place.name)) continue;
      if (parts_.parked.contains(place)) {
        CAIRN_TRY(const auto entry, parts_.model.find_parked(place));
        if (!entry || entry->event.position <= position) continue;
      }
      if (place.by == ParkedPlace::By::kKey) {
        keys.insert(place.name);
        continue;
      }
      CAIRN_TRY(const auto batch, parts_.source.read_alone({position.value - 1}, position, filter()));
      forget_plans();
      for (const EventBatch::Event& event : batch->events()) {
        if (!parts_.choice.wants_stored(event.stored)) continue;
        static_cast<void>(collect_keys(parts_.partitions[0]->rows(), *batch, event, keys));
      }
      forget_plans();
    }
  }
  return keys;
}

Status RowReplay::refold(const std::set<std::string>& keys, GlobalPosition taken) {
  for (const std::string& key : keys) CAIRN_CHECK(start_empty(key));
  StoppedRows stopped;
  Interruption::Poll interrupted(parts_.interruption);
  for (GlobalPosition after; after < taken;) {
    CAIRN_TRY(const auto batch, parts_.source.read_alone(after, taken, filter()));
    forget_plans();
    for (const EventBatch::Event& event : batch->events()) {
      if (interrupted()) {
        forget_plans();
        return Interruption::error();
      }
      if (event.fault != nullptr || !parts_.choice.wants_stored(event.stored)) continue;
      if (parts_.parked.waits_with_stream(event.stored)) continue;
      CAIRN_CHECK(refold_event(keys, *batch, event, stopped));
    }
    forget_plans();
    after = batch->to();
  }
  for (auto& [key, row] : stopped) {
    const ParkedPlace place{ParkedPlace::By::kKey, key};
    parts_.parked.park(place, std::move(row.event));
    for (const GlobalPosition position : row.waiting) parts_.parked.add_waiting(place, position);
  }
  return {};
}

// Puts a new row in the place of the one there is, and ends its parking.
Status RowReplay::start_empty(const std::string& name) {
  const RowKey key = RowKey::of(name);
  Partition& partition = partition_of(key);
  CAIRN_TRY(const std::uint32_t slot, partition.reload(parts_.model, key));
  if (!partition.rows().load(slot, "")) return make_error(Errc::kIo, "no new row can be made");
  partition.set_changed(slot);
  if (parts_.parked.contains_key(name)) parts_.parked.release({ParkedPlace::By::kKey, name});
  return {};
}

// Applies the parts of one event to those rows that are folded.
Status RowReplay::refold_event(const std::set<std::string>& keys, const EventBatch& batch,
                               const EventBatch::Event& event, StoppedRows& stopped) {
  RowsBefore before;
  std::string key;
  for (const ShapedEvent& part : batch.parts(event)) {
    if (!parts_.choice.wants_type(part.type)) continue;
    if (!parts_.partitions[0]->rows().key_of(event.stored, part, key)) continue;
    if (!keys.contains(key) || parts_.skipped.skips(event.stored, key)) continue;
    if (const auto row = stopped.find(key); row != stopped.end()) {
      row->second.waiting.push_back(event.stored.position);
      continue;
    }
    CAIRN_TRY(auto failed, apply_or_undo(RowKey::of(key), event.stored, part, before));
    if (failed) stopped.emplace(key, StoppedRow{*std::move(failed), {}});
  }
  return {};
}

// Applies one part of an event to one row. When it fails, or the row cannot be saved afterwards, the row
// becomes what it was before the event: `before` keeps it from the first part on, since an earlier part of
// the same event may have changed the row already.
Result<std::optional<ParkedEvent>> RowReplay::apply_or_undo(RowKey key, const EventView& event,
                                                            const ShapedEvent& part, RowsBefore& before) {
  Partition& partition = partition_of(key);
  ProjectionRows& rows = partition.rows();
  const std::uint32_t slot = partition.slot_in_memory(key);
  std::string saved;
  auto outcome = rows.save(slot, saved);
  const auto kept = before.try_emplace(std::string(key.text), saved).first;
  if (outcome) outcome = rows.apply(slot, event, part);
  if (outcome) outcome = rows.save(slot, saved);
  if (outcome) return std::optional<ParkedEvent>();
  if (!rows.load(slot, kept->second)) return make_error(Errc::kIo, "a row cannot be loaded");
  return std::optional(parked_event(event, part, outcome.error(), parts_.clock()));
}

}  // namespace cairn
