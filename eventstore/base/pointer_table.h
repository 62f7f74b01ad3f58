#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "eventstore/base/prefetch.h"

namespace cairn {

// A hash table of pointers to things that live elsewhere. Hash and pointer stand side by side in one array,
// so learning that a thing is not there costs one look at memory that is in no cache; a table with buckets
// and nodes costs three. The hashes come from the caller and should be seeded (seeded_hash.h).
template <typename T>
class PointerTable {
 public:
  PointerTable() : slots_(kSlotsMin) {}

  // The thing filed under `hash` for which `is(thing)` holds, or null.
  template <typename Is>
  T* find(std::uint64_t hash, Is is) const {
    for (std::size_t at = hash & mask();; at = (at + 1) & mask()) {
      const Slot& slot = slots_[at];
      if (slot.thing == nullptr) return nullptr;
      if (slot.hash == hash && is(*slot.thing)) return slot.thing;
    }
  }

  // REQUIRES: `thing` is not in the table.
  void insert(std::uint64_t hash, T* thing) {
    if (size_ >= slots_.size() / 2) resize(slots_.size() * 2);
    place(hash, thing);
    ++size_;
  }

  // Takes in `count` things without growing.
  void reserve(std::size_t count) {
    const std::size_t slots = std::bit_ceil(std::max(2 * count, kSlotsMin));
    if (slots > slots_.size()) resize(slots);
  }

  // Forgets everything. Keeps its memory, unless that is much more than was used.
  void clear() {
    const std::size_t enough = std::max(kSlotsMin, slots_.size() / 2);
    if (size_ < enough / 8) slots_.resize(enough);
    std::fill(slots_.begin(), slots_.end(), Slot{});
    size_ = 0;
  }

  // Brings into the cache what a find() will look at first; and, in a second call once that has arrived, what
  // it will look at then.
  void prefetch(std::uint64_t hash) const { cairn::prefetch(&slots_[hash & mask()]); }
  void prefetch_thing(std::uint64_t hash) const {
    const Slot& slot = slots_[hash & mask()];
    if (slot.hash != hash) return;
    for (std::size_t at = 0; at < sizeof(T); at += kCacheLineBytes)
      cairn::prefetch(reinterpret_cast<const char*>(slot.thing) + at);
  }

 private:
  struct Slot {
    std::uint64_t hash = 0;
    T* thing = nullptr;
  };
  static constexpr std::size_t kSlotsMin = 64;  // a power of two, like all later sizes

  std::size_t mask() const { return slots_.size() - 1; }

  void place(std::uint64_t hash, T* thing) {
    std::size_t at = hash & mask();
    while (slots_[at].thing != nullptr) at = (at + 1) & mask();
    slots_[at] = {hash, thing};
  }

  void resize(std::size_t slots) {
    std::vector<Slot> old(slots);
    old.swap(slots_);
    for (const Slot& slot : old) {
      if (slot.thing != nullptr) place(slot.hash, slot.thing);
    }
  }

  std::vector<Slot> slots_;
  std::size_t size_ = 0;
};

}  // namespace cairn
