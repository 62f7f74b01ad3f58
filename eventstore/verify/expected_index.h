#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "eventstore/base/checksum.h"
#include "eventstore/base/seeded_hash.h"
#include "eventstore/format/stored_event.h"
#include "eventstore/index/event_terms.h"
#include "eventstore/index/id_runs.h"
#include "eventstore/index/indexed_id.h"
#include "eventstore/index/stream_head.h"
#include "eventstore/index/tail.h"

namespace cairn {

// The index as it should be, computed while the log is read. It keeps every stream head, but only a digest of
// each list of a name and of each day's ids, so its memory grows with the number of streams and not of events.
class ExpectedIndex {
 public:
  template <typename Value>
  using ByName = std::unordered_map<std::string, Value, SeededHash, std::equal_to<>>;

  // The digest of a list of positions; depends on their order.
  struct ListDigest {
    std::uint64_t count = 0;
    std::uint64_t sum = 0;
    void add(std::uint64_t position) {
      ++count;
      sum = checksum64(&position, sizeof position, sum);
    }
    friend bool operator==(const ListDigest&, const ListDigest&) = default;
  };

  // The digest of a set of (hash, position), or of (term, position); does not depend on the order.
  struct SetDigest {
    std::uint64_t count = 0;
    std::uint64_t sum = 0;
    void add(const IdRuns::Entry& entry) {
      ++count;
      sum += checksum64(&entry, sizeof entry);
    }
    void add(std::string_view term, std::uint64_t position) {
      ++count;
      sum += checksum64(term, position);
    }
    friend bool operator==(const SetDigest&, const SetDigest&) = default;
  };

  struct Basis {
    std::uint64_t id_seed = 0;
    bool plain_server_ids = false;  // Index::has_plain_server_ids()
    SipKey digest_key;              // of the list of runs
    GlobalPosition lists_through;   // likewise: up to there the index has no terms but names
  };
  explicit ExpectedIndex(const Basis& basis) : basis_(basis) {}

  StreamHead& head(std::string_view stream) {
    const auto found = heads_.find(stream);
    return found != heads_.end() ? found->second
                                 : heads_.emplace(std::string(stream), StreamHead{}).first->second;
  }

  // Adds an event to the posting lists and ids. The caller advances the stream's head.
  void add(const StoredEvent& stored) {
    const EventView& event = stored.event;
    list(TermKind::kCategory, category_of(event.stream)).add(event.position.value);
    list(TermKind::kType, event.type).add(event.position.value);
    if (event.position > basis_.lists_through) {
      scratch_.clear();
      add_event_terms(scratch_, {0, event.metadata, event.command_id}, event.tags, basis_.digest_key);
      for (const EventTerm& term : scratch_) others_[term.kind].add(term.view().bytes, event.position.value);
    }
    if (id_is_indexed(stored, basis_.plain_server_ids)) {
      ids_[day_of(event.recorded_at)].add({IdRuns::hash(event.id, basis_.id_seed), event.position.value});
    }
  }

  ListDigest& list(TermKind kind, std::string_view name) {
    auto& lists = kind == TermKind::kCategory ? categories_ : types_;
    const auto found = lists.find(name);
    return found != lists.end() ? found->second
                                : lists.emplace(std::string(name), ListDigest{}).first->second;
  }

  const ByName<StreamHead>& heads() const { return heads_; }
  const ByName<ListDigest>& categories() const { return categories_; }
  const ByName<ListDigest>& types() const { return types_; }
  const std::map<std::uint32_t, SetDigest>& ids() const { return ids_; }
  // Of tags, correlation and command ids: one for each kind, because there may be as many terms as events.
  const std::map<TermKind, SetDigest>& others() const { return others_; }

 private:
  const Basis basis_;
  std::map<TermKind, SetDigest> others_;
  std::vector<EventTerm> scratch_;
  ByName<StreamHead> heads_;
  ByName<ListDigest> categories_;
  ByName<ListDigest> types_;
  std::map<std::uint32_t, SetDigest> ids_;
};

}  // namespace cairn
