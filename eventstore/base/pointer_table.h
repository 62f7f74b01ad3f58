#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "eventstore/base/prefetch.h"

namespace cairn {

// An open-addressing hash table of pointers to objects that it does not own. Hash and pointer are in one
// array, so a lookup that finds nothing costs one cache miss; in a table with buckets and nodes it costs
// three. The caller computes the hashes, and should seed them (seeded_hash.h). Not thread-safe.
template <typename T>
class PointerTable {
 public:
  PointerTable() : slots_(kSlotsMin) {}

  // The object with this hash for which `is(object)` holds, or null.
  template <typename Is>
  T* find(std::uint64_t hash, Is is) const {
    for (std::size_t at = hash & mask();; at = (at + 1) & mask()) {
      const Slot& slot = slots_[at];
      if (slot.object == nullptr) return nullptr;
      if (slot.hash == hash && is(*slot.object)) return slot.object;
    }
  }

  // REQUIRES: `object` is not in the table, and not null.
  void insert(std::uint64_t hash, T* object) {
    if (size_ >= slots_.size() / 2) resize(slots_.size() * 2);
    place(hash, object);
    ++size_;
  }

  // Makes the table large enough for `count` objects.
  void reserve(std::size_t count) {
    const std::size_t slots = std::bit_ceil(std::max(2 * count, kSlotsMin));
    if (slots > slots_.size()) resize(slots);
  }

  // Removes all objects. Keeps the memory, but halves it if less than a sixteenth of it was used.
  void clear() {
    const std::size_t enough = std::max(kSlotsMin, slots_.size() / 2);
    if (size_ < enough / 8) slots_.resize(enough);
    std::fill(slots_.begin(), slots_.end(), Slot{});
    size_ = 0;
  }

  // The memory of the table, without the objects.
  std::size_t bytes() const { return slots_.capacity() * sizeof(Slot); }

  // Prefetches the slot that find() reads first; and, once that has arrived, the object that it points to.
  void prefetch(std::uint64_t hash) const { cairn::prefetch(&slots_[hash & mask()]); }
  void prefetch_object(std::uint64_t hash) const {
    const Slot& slot = slots_[hash & mask()];
    if (slot.hash != hash) return;
    for (std::size_t at = 0; at < sizeof(T); at += kCacheLineBytes)
      cairn::prefetch(reinterpret_cast<const char*>(slot.object) + at);
  }

 private:
  struct Slot {
    std::uint64_t hash = 0;
    T* object = nullptr;
  };
  static constexpr std::size_t kSlotsMin = 64;  // a power of two, like all later sizes

  std::size_t mask() const { return slots_.size() - 1; }

  void place(std::uint64_t hash, T* object) {
    std::size_t at = hash & mask();
    while (slots_[at].object != nullptr) at = (at + 1) & mask();
    slots_[at] = {hash, object};
  }

  void resize(std::size_t slots) {
    std::vector<Slot> old(slots);
    old.swap(slots_);
    for (const Slot& slot : old) {
      if (slot.object != nullptr) place(slot.hash, slot.object);
    }
  }

  std::vector<Slot> slots_;
  std::size_t size_ = 0;
};

}  // namespace cairn
