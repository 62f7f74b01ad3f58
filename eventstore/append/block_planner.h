#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "eventstore/append/append_queue.h"
#include "eventstore/append/id_lookup.h"
#include "eventstore/base/hashed_name.h"
#include "eventstore/base/pointer_table.h"
#include "eventstore/base/result.h"
#include "eventstore/base/seeded_hash.h"
#include "eventstore/format/block_builder.h"
#include "eventstore/index/block_summary.h"
#include "eventstore/index/id_window.h"
#include "eventstore/index/index.h"
#include "eventstore/index/stream_heads.h"
#include "eventstore/index/tail.h"
#include "eventstore/log/block_log.h"
#include "eventstore/log/log_end.h"

namespace cairn {

// Decides what goes into the next block. Not thread-safe: belongs to the writer thread, but for
// prepared_for().
//
// Invariants, asserted in block_planner.cc by their numbers:
//  1. A request is checked against the streams, and against the schemas, upcasters and events that it names,
//     as they are after every request accepted before it, in this block or an earlier one.
//  2. A request that is refused changes nothing: all of it is checked before any of it is placed.
//  3. Positions and versions are assigned here and nowhere else, without gaps. They hold once the block is
//     committed: begin() starts over from the end of the log.
class BlockPlanner {
 public:
  BlockPlanner(BlockSource& log, const Tail& tail, const Index& index, const Uuid& store_id,
               const SipKey& id_key, const IdWindow& id_window);
  ~BlockPlanner();

  // Starts an empty block.
  void begin(GlobalPosition first_position, Timestamp now);

  // Prefetches the requests that will be added next, and the heads of their streams, into the CPU cache.
  void prefetch(std::span<const AppendQueue::Entry> appends);

  // Adds `request` to the block, or finds that it was applied before, or refuses it (kVersionConflict,
  // kEventIdReused, kStale, or an error of a read). A success holds once the block is committed; its positions
  // and versions are in `result`. The planner keeps views of `request` until the next begin().
  // REQUIRES: `terms` are terms_of(request), `result` is prepared_for(request).
  Status add(const AppendRequest& request, std::span<const EventTerm> terms, AppendResult& result);

  // The terms of the request's events beside their names. Any thread: to look into metadata takes the writer
  // thread too long.
  static std::vector<EventTerm> terms_of(const AppendRequest& request, const SipKey& digest_key);

  // The result that add() fills in, with all memory it needs. Any thread: so the writer thread need not
  // allocate it.
  static AppendResult prepared_for(const AppendRequest& request);

  std::size_t events() const { return events_.size(); }
  bool is_empty() const { return events_.empty() && notes_.empty(); }

  // Ends the read transactions, which must not be open during the commit. Call after the last add().
  void release_readers();

  // The block to write behind `end`: views of the planner and the requests. REQUIRES: not empty.
  BlockContents contents(LogFormat format, const LogEnd& end) const;

  // What the block adds to the index. Moves the stream heads out: call once, after the commit.
  // REQUIRES: events() > 0.
  BlockSummary summary(const Sha256& hash);

 private:
  class Events;
  struct Stream {
    HashedName name;
    StreamHead head;                           // with the events of this block
    std::optional<std::uint32_t> block_index;  // once it has an event in the block
    bool created = false;
  };

  Result<Stream*> stream(std::string_view name);
  Result<std::optional<GlobalPosition>> find_id(const Uuid& id);
  // Whether what a request was checked against still holds after the requests before it; kStale otherwise.
  Status check_current(const AppendRequest& request);
  Result<SchemaRevision> revision();
  Status check_none_behind(const NoEventsBehind& condition) const;
  // Assigns positions and versions to the events of `append`, and puts them into `result`.
  void take(const StreamAppend& append, Stream& stream, StreamAppendResult& result);
  std::uint32_t type_index(std::string_view type);

  BlockSource& log_;
  const Tail& tail_;
  StreamHeads heads_;
  IdLookup id_lookup_;
  const SipKey id_key_;  // of the ids for events that came without one
  const IdWindow& id_window_;
  std::unique_ptr<Events> source_;

  GlobalPosition first_position_;
  Timestamp now_;
  std::optional<std::uint64_t> committed_revision_;  // of the log before this block, once a request asked
  std::uint64_t added_revision_ = 0;                 // by this block
  std::deque<Stream> streams_;  // the first streams_used_ are this block's; a deque, so they do not move
  std::size_t streams_used_ = 0;
  PointerTable<Stream> stream_by_name_;
  std::vector<Stream*> request_streams_;  // of the request being added
  std::vector<std::uint64_t> name_hashes_;
  std::unordered_map<std::string_view, std::uint32_t, SeededHash> type_by_name_;
  std::unordered_map<Uuid, GlobalPosition, SeededHash> ids_;
  std::vector<std::string_view> block_streams_;
  std::vector<Stream*> block_stream_heads_;
  std::vector<std::string_view> block_types_;
  std::vector<BlockContents::Event> events_;
  std::deque<std::vector<std::string_view>> tags_;
  std::deque<std::vector<EventPart>> parts_;  // of the events that have some
  std::vector<EventTerm> terms_;
  std::vector<Note> notes_;
};

}  // namespace cairn
