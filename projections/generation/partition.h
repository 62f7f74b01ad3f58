#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "projections/generation/byte_arena.h"
#include "projections/generation/interruption.h"
#include "projections/generation/keyed_part.h"
#include "projections/projection.h"
#include "projections/readmodel/read_model.h"

namespace cairn {

// The rows of one partition of a generation that are in memory: those that were read from the read model, and
// their changes since the last commit. Not thread-safe: one thread at a time works on it.
class Partition {
 public:
  // An event that could not be applied, and the later ones of the same key, which were not tried.
  struct Failure {
    std::string key;
    ParkedEvent event;
    bool second_chance = false;  // see deserves_second_chance()
    std::vector<GlobalPosition> behind;
  };

  struct Change {
    std::string_view key;
    std::size_t offset = 0;  // in the bytes that were saved
    std::size_t size = 0;
  };

  explicit Partition(std::unique_ptr<ProjectionRows> rows) : rows_(std::move(rows)) {}

  ProjectionRows& rows() { return *rows_; }

  // Applies parts in order. Events that fail, with those that follow them, are in failures(). Returns an
  // error when rows cannot be read, and kCancelled when it is interrupted; the caller then calls forget().
  Status apply(ReadModel& model, std::span<const KeyedPart> parts, Timestamp now,
               const Interruption& interruption);
  std::vector<Failure>& failures() { return failures_; }

  // Loads a row from the read model, over the one in memory, and returns its slot.
  Result<std::uint32_t> reload(ReadModel& model, RowKey key);
  void set_changed(std::uint32_t slot) {
    if (slots_[slot].changed) return;
    slots_[slot].changed = true;
    changed_.push_back(slot);
  }
  void note_applied(RowKey key, GlobalPosition position) { applied_.emplace_back(key.hash, position.value); }

  // REQUIRES: the row is in memory.
  std::uint32_t slot_in_memory(RowKey key) const { return by_key_.at(key); }

  // Positions since the last commit whose events may have been applied to this row (rows with the same hash
  // are not told apart); rising.
  std::vector<GlobalPosition> applied_to(RowKey key) const;

  // Serializes the changed rows: changes() rise by key, their bytes are in saved(). Keys of rows that cannot
  // be saved are in unsavable().
  void save_changes();
  const std::vector<Change>& changes() const { return changes_; }
  std::string_view saved(const Change& change) const {
    return std::string_view(saved_).substr(change.offset, change.size);
  }
  const std::vector<std::string>& unsavable() const { return unsavable_; }

  // The changes are committed: the rows stay in memory as unchanged.
  void settle();

  // Drops all rows and changes.
  void forget();

  // Frees the memory of rows and lists, which forget() keeps for the next ones. REQUIRES: !has_changes().
  void release_memory();

  bool has_changes() const { return !changed_.empty(); }
  std::size_t applied_count() const { return applied_.size(); }
  std::size_t memory_used() const {
    return rows_->memory_used() + names_.bytes() + slots_.size() * (sizeof(Slot) + 64);
  }

 private:
  struct Slot {
    RowKey key;
    bool changed = false;
    bool failed = false;  // during the present apply()
  };

  std::uint32_t slot_of(RowKey key, bool& is_new);
  Status load(ReadModel& model, std::vector<std::uint32_t>& slots);

  std::unique_ptr<ProjectionRows> rows_;
  ByteArena names_;
  std::unordered_map<RowKey, std::uint32_t, RowKeyHash> by_key_;
  std::vector<Slot> slots_;
  std::vector<std::uint32_t> changed_;  // all changed slots; may repeat, or contain some that were reloaded
  std::vector<Failure> failures_;
  std::vector<std::pair<std::uint64_t, std::uint64_t>> applied_;  // hash of the key, position
  std::vector<std::uint32_t> part_slots_;                         // of the parts under way
  std::vector<Change> changes_;
  std::string saved_;
  std::vector<std::string> unsavable_;
};

}  // namespace cairn
