#include "projections/generation/partition.h"

#include <algorithm>

#include "eventstore/base/assert.h"
#include "projections/generation/apply_fault.h"

namespace cairn {

std::uint32_t Partition::slot_of(RowKey key, bool& is_new) {
  const auto found = by_key_.find(key);
  is_new = found == by_key_.end();
  if (!is_new) return found->second;
  key.text = names_.copy(key.text);
  const auto slot = static_cast<std::uint32_t>(slots_.size());
  slots_.push_back({key});
  by_key_.emplace(key, slot);
  return slot;
}

Status Partition::load(ReadModel& model, std::vector<std::uint32_t>& slots) {
  std::sort(slots.begin(), slots.end(),
            [this](auto a, auto b) { return slots_[a].key.text < slots_[b].key.text; });
  std::vector<std::string_view> keys;
  keys.reserve(slots.size());
  for (const std::uint32_t slot : slots) keys.push_back(slots_[slot].key.text);
  const std::string* damaged = nullptr;
  std::string damaged_key;
  CAIRN_CHECK(model.load(keys, [&](std::size_t index, std::string_view saved) {
    if (rows_->load(slots[index], saved)) return;
    damaged_key = keys[index];
    damaged = &damaged_key;
  }));
  if (damaged != nullptr) {
    return make_error(Errc::kCorruption, "the row '" + *damaged + "' is not a saved row");
  }
  return {};
}

Status Partition::apply(ReadModel& model, std::span<const KeyedPart> parts, Timestamp now,
                        const Interruption& interruption) {
  part_slots_.clear();
  std::vector<std::uint32_t> missing;
  for (const KeyedPart& part : parts) {
    bool is_new = false;
    part_slots_.push_back(slot_of(part.key, is_new));
    if (is_new) missing.push_back(part_slots_.back());
  }
  if (!missing.empty()) CAIRN_CHECK(load(model, missing));

  Interruption::Poll interrupted(interruption);
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (interrupted()) return Interruption::error();
    const KeyedPart& part = parts[i];
    Slot& slot = slots_[part_slots_[i]];
    if (slot.failed) [[unlikely]] {
      const auto failure = std::find_if(failures_.begin(), failures_.end(),
                                        [&](const Failure& one) { return one.key == slot.key.text; });
      const GlobalPosition position = part.event->position;
      // Several parts of one event wait together.
      const GlobalPosition last = failure->behind.empty() ? failure->event.position : failure->behind.back();
      if (last != position) failure->behind.push_back(position);
      continue;
    }
    if (const auto applied = rows_->apply(part_slots_[i], *part.event, *part.part); !applied) [[unlikely]] {
      slot.failed = true;
      failures_.push_back({std::string(slot.key.text),
                           parked_event(*part.event, *part.part, applied.error(), now),
                           deserves_second_chance(applied.error()),
                           {}});
      continue;
    }
    set_changed(part_slots_[i]);
    applied_.emplace_back(part.key.hash, part.event->position.value);
  }
  for (const Failure& failure : failures_) {
    if (const auto found = by_key_.find(RowKey::of(failure.key)); found != by_key_.end()) {
      slots_[found->second].failed = false;
    }
  }
  return {};
}

Result<std::uint32_t> Partition::reload(ReadModel& model, RowKey key) {
  bool is_new = false;
  std::vector<std::uint32_t> slots{slot_of(key, is_new)};
  slots_[slots[0]].changed = false;
  CAIRN_CHECK(load(model, slots));
  return slots[0];
}

std::vector<GlobalPosition> Partition::applied_to(RowKey key) const {
  std::vector<GlobalPosition> positions;
  for (const auto& [hash, position] : applied_) {
    if (hash != key.hash) continue;
    if (positions.empty() || positions.back().value != position) positions.push_back({position});
  }
  return positions;
}

void Partition::save_changes() {
  changes_.clear();
  saved_.clear();
  unsavable_.clear();
  std::erase_if(changed_, [this](std::uint32_t slot) { return !slots_[slot].changed; });
  std::sort(changed_.begin(), changed_.end(),
            [this](auto a, auto b) { return slots_[a].key.text < slots_[b].key.text; });
  changed_.erase(std::unique(changed_.begin(), changed_.end()), changed_.end());
  changes_.reserve(changed_.size());
  for (const std::uint32_t slot : changed_) {
    const std::size_t offset = saved_.size();
    if (!rows_->save(slot, saved_)) {
      saved_.resize(offset);
      unsavable_.emplace_back(slots_[slot].key.text);
      continue;
    }
    changes_.push_back({slots_[slot].key.text, offset, saved_.size() - offset});
  }
}

void Partition::settle() {
  for (const std::uint32_t slot : changed_) slots_[slot].changed = false;
  changed_.clear();
  applied_.clear();
  changes_.clear();
  saved_.clear();
  unsavable_.clear();
}

void Partition::release_memory() {
  CAIRN_ASSERT(!has_changes());
  forget();
  const auto free_all = []<typename List>(List& list) { List().swap(list); };  // `= {}` keeps the memory
  free_all(by_key_);
  free_all(slots_);
  free_all(changed_);
  free_all(failures_);
  free_all(applied_);
  free_all(part_slots_);
  free_all(changes_);
  free_all(saved_);
  free_all(unsavable_);
}

void Partition::forget() {
  settle();
  rows_->clear();
  rows_->forget_plans();
  by_key_.clear();
  slots_.clear();
  failures_.clear();
  names_.clear();
}

}  // namespace cairn
