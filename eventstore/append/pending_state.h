#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "eventstore/append/id_lookup.h"
#include "eventstore/base/hashed_name.h"
#include "eventstore/base/pointer_table.h"
#include "eventstore/base/result.h"
#include "eventstore/base/seeded_hash.h"
#include "eventstore/format/block_builder.h"
#include "eventstore/index/id_window.h"
#include "eventstore/index/index.h"
#include "eventstore/index/stream_heads.h"
#include "eventstore/index/tail.h"
#include "eventstore/log/block_log.h"
#include "eventstore/read/event_source.h"
#include "eventstore/types.h"

namespace cairn {

// The log as the next request finds it: the committed events, and those of the block being planned. Whatever
// decides about a request asks this type and no other. Belongs to the writer thread, but for its constructor.
//
// A lookup goes from the newest to the oldest: the block being planned, the tail, and what is on disk. No block
// is in flight while another one is planned. When commits overlap, each block in flight is one more place to
// look, between the block being planned and the tail; it ends when the tail has the block. If its commit fails,
// the blocks behind it fail too, because their requests were judged by it.
//
// The const functions and first_behind() look into memory only. The others may read disk pages.
class PendingState {
 public:
  struct Stream {
    HashedName name;
    StreamHead head;                           // with the events of the block being planned
    std::optional<std::uint32_t> block_index;  // once it has an event in the block
    bool created = false;                      // its first event is in the block
  };

  struct Parts {
    BlockSource& log;
    const Tail& tail;
    const Index& index;
    const IdWindow& id_window;
    Uuid store_id;
    SipKey id_key;  // of the ids for events that came without one
    SchemaRevision revision;
  };

  // `planned` are the events of the block being planned, in position order. REQUIRES: all outlive it;
  // parts.revision is that of the log.
  PendingState(const Parts& parts, const std::vector<BlockContents::Event>& planned);
  ~PendingState();

  // Starts over from the end of the log, with an empty block.
  void begin(GlobalPosition first_position, Timestamp now);

  // --- What is there

  // The stream, also if it has no event: then head.exists() is false. It stays where it is until begin().
  Result<Stream*> stream(std::string_view name);

  // The position of the event with an id that the store still keeps; nullopt for a new id.
  Result<std::optional<GlobalPosition>> find_id(const Uuid& id);

  // Committed events and those of the block.
  EventSource& events();

  SchemaRevision revision() const { return {committed_revision_ + added_revision_}; }

  // The first event behind `after` that the query selects; nullopt when there is none. kNotFound when the tail does
  // not reach back to `after`, kBudgetExceeded when the search takes long. Looks into memory only.
  Result<std::optional<QueryMatch>> first_behind(const EventQuery& query, GlobalPosition after);

  // Prefetches the heads of these streams into the CPU cache.
  void prefetch(std::span<const std::uint64_t> name_hashes) const { parts_.tail.prefetch(name_hashes); }

  // Ends the read transactions, which must not be open during a commit.
  void release_readers();

  // --- The block being planned

  // `stream` gets `count` events in the block.
  void count_events(const Stream& stream, std::size_t count) {
    if (stream.name.text == kSchemaStream || stream.name.text == kDefinitionStream) added_revision_ += count;
  }

  // `stream` gets an event at `position`, with an id if the client chose one.
  void add(Stream& stream, GlobalPosition position, const std::optional<Uuid>& id) {
    stream.head.advance(position, now_);
    if (id) ids_[*id] = position;
  }

  // The index of `type` in types(), which it is added to.
  std::uint32_t add_type(std::string_view type) {
    const auto [entry, added] = type_by_name_.try_emplace(type, static_cast<std::uint32_t>(types_.size()));
    if (added) types_.push_back(type);
    return entry->second;
  }

  const std::vector<std::string_view>& types() const { return types_; }
  const std::unordered_map<Uuid, GlobalPosition, SeededHash>& ids() const { return ids_; }

  // The block is in the log. Its streams and ids are the tail's from now on: begin() follows.
  void committed() { committed_revision_ += added_revision_; }

 private:
  class Events;

  // The terms of the planned events, which only conditions need.
  struct PlannedTerms {
    TermTable terms;
    std::vector<std::uint64_t> system;
    std::size_t events = 0;  // the first so many of planned_
  };
  void index_planned();

  const Parts parts_;
  const std::vector<BlockContents::Event>& planned_;
  StreamHeads heads_;
  IdLookup id_lookup_;
  std::unique_ptr<Events> events_;
  std::uint64_t committed_revision_;  // of the log before the block

  GlobalPosition first_position_;
  Timestamp now_;
  std::uint64_t added_revision_ = 0;
  std::deque<Stream> streams_;  // the first streams_used_ are the block's; a deque, so they do not move
  std::size_t streams_used_ = 0;
  PointerTable<Stream> stream_by_name_;
  std::unordered_map<std::string_view, std::uint32_t, SeededHash> type_by_name_;
  std::vector<std::string_view> types_;
  std::unordered_map<Uuid, GlobalPosition, SeededHash> ids_;
  std::unique_ptr<PlannedTerms> planned_terms_;  // of the block, from its first condition on
};

}  // namespace cairn
