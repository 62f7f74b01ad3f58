#include "eventstore/index/tail.h"

#include <algorithm>
#include <array>
#include <initializer_list>
#include <utility>

#include <fmt/format.h>

#include "eventstore/base/assert.h"
#include "eventstore/base/prefetch.h"

namespace cairn {
namespace {

// What an entry takes in memory beside the bytes of its name: nodes and buckets of the hash tables, headers of
// the allocator, unused capacity of lists. TailTest compares the sum with the allocator's figures.
constexpr std::size_t kCreatedBytes = 32;  // a view, unsorted or in a run, and a copy while runs are merged
constexpr std::size_t kIdBytes = 80;

// Terms to count in one section under the lock.
constexpr std::size_t kCountedAtOnce = 1'024;

void add_heads(TailGeneration& generation, BlockSummary& block) {
  const auto& table = generation.heads.table();
  std::vector<std::string_view> created;
  for (std::span<BlockSummary::Stream> left(block.streams); !left.empty();) {
    const auto streams = left.first(std::min(left.size(), kPrefetchedAtOnce));
    for (const auto& stream : streams) table.prefetch(stream.name.hash);
    for (const auto& stream : streams) table.prefetch_object(stream.name.hash);
    for (auto& stream : streams) {
      const HeadTable::Entry& entry = generation.heads.put(stream.name, std::move(stream.head));
      if (stream.created) created.push_back(entry.name);
    }
    left = left.subspan(streams.size());
  }
  generation.created.add(created);
  generation.entry_bytes += created.size() * kCreatedBytes;
}

void add_names(TermTable& terms, const BlockSummary& block) {
  std::vector<TermPositions*> categories;
  std::vector<TermPositions*> types;
  categories.reserve(block.streams.size());
  const auto positions_of = [&terms](TermKind kind, std::string_view name) {
    const TermView term{kind, name};
    return &terms.of(term, hash_of(term));
  };
  std::string_view last;  // most streams have the category of the previous one
  for (const auto& stream : block.streams) {
    const std::string_view category = category_of(stream.name.text);
    const bool same = !categories.empty() && category == last;
    categories.push_back(same ? categories.back() : positions_of(TermKind::kCategory, category));
    last = category;
  }
  for (const std::string_view type : block.types) types.push_back(positions_of(TermKind::kType, type));
  std::uint64_t position = block.first_position.value;
  for (const auto& event : block.events) {
    categories[event.stream]->add(position);
    types[event.type]->add(position);
    ++position;
  }
  terms.count_pairs(2 * block.events.size());
}

void add_system(std::vector<std::uint64_t>& system, const BlockSummary& block) {
  const bool any = std::any_of(block.streams.begin(), block.streams.end(),
                               [](const auto& stream) { return is_system_stream(stream.name.text); });
  if (!any) return;
  std::uint64_t position = block.first_position.value;
  for (const auto& event : block.events) {
    if (is_system_stream(block.streams[event.stream].name.text)) system.push_back(position);
    ++position;
  }
}

// Other terms are mostly not in the CPU cache.
void add_terms(TermTable& terms, const BlockSummary& block) {
  for (std::span<const EventTerm> left(block.terms); !left.empty();) {
    const auto some = left.first(std::min(left.size(), kPrefetchedAtOnce));
    for (const EventTerm& term : some) terms.prefetch(term.view(), term.hash);
    for (const EventTerm& term : some) terms.prefetch_entry(term.view(), term.hash);
    for (const EventTerm& term : some)
      terms.add(term.view(), term.hash, block.first_position.value + term.event);
    left = left.subspan(some.size());
  }
}

// Copies the head from the first generation that has the stream. `generations` are ordered newest first.
bool copy_head(std::initializer_list<const TailGeneration*> generations, const HashedName& stream,
               StreamHead& head) {
  for (const TailGeneration* const generation : generations) {
    if (generation == nullptr) continue;
    if (const StreamHead* const found = generation->heads.find(stream)) {
      head = *found;
      return true;
    }
  }
  return false;
}

}  // namespace

Tail::Tail() : active_(std::make_shared<TailGeneration>()) {}

void Tail::apply(BlockSummary& block) {
  const MutexLock lock(mutex_);
  TailGeneration& generation = *active_;
  CAIRN_ASSERT(generation.events == 0 || generation.last_position.value + 1 == block.first_position.value,
               generation.last_position.value, block.first_position.value);
  CAIRN_ASSERT(!block.events.empty());
  if (generation.events == 0) generation.first_position = block.first_position;
  add_heads(generation, block);
  add_names(generation.terms, block);
  add_terms(generation.terms, block);
  add_system(generation.system, block);
  const std::uint32_t day = day_of(block.recorded_at);
  for (const auto& id : block.ids) {
    const auto [known, is_new] = generation.ids.try_emplace(id.id, TailGeneration::IdPlace{id.position, day});
    if (is_new) continue;
    generation.older_ids.emplace_back(id.id, known->second);
    known->second = {id.position, day};
  }
  generation.entry_bytes += block.ids.size() * kIdBytes;
  generation.last_position = block.last_position();
  generation.last_hash = block.hash;
  generation.events += block.events.size();
}

bool Tail::find(const HashedName& stream, StreamHead& head) const {
  const MutexLock lock(mutex_);
  return copy_head({active_.get(), frozen_.get(), flushed_.get()}, stream, head);
}

bool Tail::find_in(const Snapshot& snapshot, const HashedName& stream, StreamHead& head) const {
  const MutexLock lock(mutex_);
  return copy_head({snapshot.active.get(), snapshot.frozen.get()}, stream, head);
}

void Tail::prefetch(std::span<const std::uint64_t> name_hashes) const {
  const MutexLock lock(mutex_);
  const auto each = [&](auto look) CAIRN_REQUIRES(mutex_) {
    for (const TailGeneration* const generation :
         {static_cast<const TailGeneration*>(active_.get()), frozen_.get(), flushed_.get()}) {
      if (generation == nullptr) continue;
      for (const std::uint64_t hash : name_hashes) look(generation->heads.table(), hash);
    }
  };
  each([](const auto& table, std::uint64_t hash) { table.prefetch(hash); });
  each([](const auto& table, std::uint64_t hash) { table.prefetch_object(hash); });
}

std::optional<TailGeneration::IdPlace> Tail::find_id(const Uuid& id) const {
  const MutexLock lock(mutex_);
  for (const TailGeneration* generation :
       {static_cast<const TailGeneration*>(active_.get()), frozen_.get()}) {
    if (generation == nullptr) continue;
    const auto found = generation->ids.find(id);
    if (found != generation->ids.end()) return found->second;
  }
  return std::nullopt;
}

Tail::Snapshot Tail::snapshot() const {
  const MutexLock lock(mutex_);
  return {.frozen = frozen_, .active = active_};
}

std::vector<std::uint64_t> Tail::postings(const Snapshot& snapshot, const TermView& term, GlobalPosition from,
                                          Direction direction, std::size_t limit) const {
  const MutexLock lock(mutex_);
  std::vector<std::uint64_t> out;
  if (direction == Direction::kForward) {
    if (snapshot.frozen != nullptr) snapshot.frozen->terms.append_from(term, from.value, limit, out);
    snapshot.active->terms.append_from(term, from.value, limit, out);
  } else {
    snapshot.active->terms.append_down_from(term, from.value, limit, out);
    if (snapshot.frozen != nullptr) snapshot.frozen->terms.append_down_from(term, from.value, limit, out);
  }
  return out;
}

Result<std::optional<QueryMatch>> Tail::first_behind(const EventQuery& query, GlobalPosition after,
                                                     GlobalPosition end, std::uint64_t steps) const {
  if (after >= end) return std::optional<QueryMatch>();
  const MutexLock lock(mutex_);
  GlobalPosition known_from{end.value + 1};
  std::array<const TailGeneration*, 3> newest_first{active_.get(), frozen_.get(), flushed_.get()};
  std::size_t needed = 0;
  for (; needed < newest_first.size() && known_from.value > after.value + 1; ++needed) {
    const TailGeneration* const generation = newest_first[needed];
    if (generation != nullptr && generation->events > 0) known_from = generation->first_position;
  }
  if (known_from.value > after.value + 1) {
    return make_error(Errc::kNotFound,
                      fmt::format("only events from position {} on are in memory", known_from.value));
  }
  while (needed > 0) {
    const TailGeneration* const generation = newest_first[--needed];
    if (generation == nullptr || generation->events == 0) continue;
    const MatchSource source{.terms = generation->terms,
                             .system = generation->system,
                             .first = generation->first_position,
                             .last = generation->last_position};
    CAIRN_TRY(const auto found, first_match(source, query, after, steps));
    if (found) return found;
  }
  return std::optional<QueryMatch>();
}

Tail::Counts Tail::counts(const Snapshot& snapshot, TermKind kind, std::string_view prefix,
                          std::string_view from, GlobalPosition after, GlobalPosition through) const {
  Counts counts;
  for (const TailGeneration* const generation : {snapshot.frozen.get(), snapshot.active.get()}) {
    if (generation == nullptr) continue;
    for (std::size_t at = 0;;) {
      const MutexLock lock(mutex_);
      const auto entries = generation->terms.entries(kind);
      const std::size_t end = std::min(entries.size(), at + kCountedAtOnce);
      for (; at < end; ++at) {
        const TermTable::Entry& entry = *entries[at];
        const std::string_view name = entry.term.bytes;
        if (!name.starts_with(prefix) || name < from) continue;
        const std::size_t count =
            entry.positions.below(through.value + 1) - entry.positions.below(after.value + 1);
        if (count > 0) counts[std::string(name)] += count;
      }
      if (at == entries.size()) break;
    }
  }
  return counts;
}

std::vector<std::string> Tail::created(const Snapshot& snapshot, std::string_view prefix,
                                       std::string_view from, std::size_t limit) const {
  std::vector<std::string> names;
  if (snapshot.frozen != nullptr) snapshot.frozen->created.list(prefix, from, limit, names);
  snapshot.active->created.list(prefix, from, limit, names);
  std::sort(names.begin(), names.end());
  if (names.size() > limit) names.resize(limit);
  return names;
}

std::shared_ptr<const TailGeneration> Tail::freeze() {
  std::size_t streams = 0;
  TermTable::Sizes terms;
  {
    const MutexLock lock(mutex_);
    if (frozen_ != nullptr || active_->events == 0) return frozen_;
    streams = active_->heads.entries().size();
    terms = active_->terms.sizes();
  }
  // The next generation will get about as large. Reserved here, its tables do not grow under the lock in
  // apply().
  auto next = std::make_shared<TailGeneration>();
  next->heads.reserve(streams);
  next->terms.reserve(terms);
  const MutexLock lock(mutex_);
  if (frozen_ == nullptr && active_->events > 0) frozen_ = std::exchange(active_, std::move(next));
  return frozen_;
}

void Tail::drop_frozen(std::size_t cache_bytes_max) {
  // Declared before the lock, so freed after it is released: freeing a generation takes long.
  std::shared_ptr<const TailGeneration> old;
  std::shared_ptr<const TailGeneration> too_large;
  const MutexLock lock(mutex_);
  old = std::exchange(flushed_, std::exchange(frozen_, nullptr));
  if (flushed_ != nullptr && flushed_->size().bytes > cache_bytes_max)
    too_large = std::exchange(flushed_, nullptr);
}

Tail::Sizes Tail::sizes() const {
  const MutexLock lock(mutex_);
  Sizes sizes{.active = active_->size(), .all = active_->size()};
  if (frozen_ != nullptr) {
    sizes.all.events += frozen_->events;
    sizes.all.bytes += frozen_->size().bytes;
  }
  if (flushed_ != nullptr) sizes.all.bytes += flushed_->size().bytes;
  return sizes;
}

}  // namespace cairn
