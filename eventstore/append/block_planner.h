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
#include "eventstore/append/event_id_maker.h"
#include "eventstore/append/id_lookup.h"
#include "eventstore/base/hashed_name.h"
#include "eventstore/base/pointer_table.h"
#include "eventstore/base/result.h"
#include "eventstore/base/seeded_hash.h"
#include "eventstore/format/block_builder.h"
#include "eventstore/index/block_summary.h"
#include "eventstore/index/index.h"
#include "eventstore/index/stream_heads.h"
#include "eventstore/index/tail.h"
#include "eventstore/log/block_log.h"

namespace cairn {

// Decides what goes into the next block. Belongs to the writer's thread.
//
// Invariants:
//  1. A request is checked against the streams as they are after every request accepted before it, in this
//  block or
//     an earlier one.
//  2. A request that is refused leaves no trace: everything is checked before anything is taken.
//  3. Positions and versions are given here and nowhere else, and only become true with the commit: begin()
//  starts
//     over from what the log has.
class BlockPlanner {
 public:
  BlockPlanner(BlockLog& log, const Tail& tail, const Index& index, const Uuid& store_id,
               std::optional<std::uint32_t> dedup_window_days);
  ~BlockPlanner();

  // Starts an empty block.
  void begin(GlobalPosition first_position, Timestamp now);

  // Says which requests will be added next, so that what is known of their streams is at hand by then.
  void prefetch(std::span<const AppendQueue::Entry> appends);

  // Takes `request` into the block, or finds that it was applied before, or refuses it. A success holds only
  // once the block is committed. The request must stay where it is until it is answered, and is not looked at
  // after that.
  // `result` must name the request's streams in their order, as prepared_for() does; the numbers of success
  // are put there.
  Status add(const AppendRequest& request, AppendResult& result);

  // What add() wants for its result. Any thread: so that the writer's need not take the memory for it.
  static AppendResult prepared_for(const AppendRequest& request);

  std::size_t events() const { return events_.size(); }

  // Lets go of the read transactions, which must not be open during the commit. Call after the last add().
  void release_readers();

  // The block as it is to be written; views of the planner and the requests.
  BlockContents contents(std::uint64_t epoch, const Sha256& previous_hash) const;

  // What the block means for the index. Moves the heads out: call once, after the commit.
  BlockSummary summary(const Sha256& hash);

 private:
  class Events;
  struct Stream {
    HashedName name;
    StreamHead head;                           // with what this block adds
    std::optional<std::uint32_t> block_index;  // once it has an event in the block
    bool created = false;
  };

  Result<Stream*> stream(std::string_view name);
  Result<std::optional<GlobalPosition>> find_id(const Uuid& id);
  // Gives the events of `append` their places, and tells them in `result`.
  void take(const StreamAppend& append, Stream& stream, StreamAppendResult& result);
  std::uint32_t type_index(std::string_view type);

  BlockLog& log_;
  const Tail& tail_;
  StreamHeads heads_;
  IdLookup id_lookup_;
  EventIdMaker id_maker_;
  std::optional<std::uint32_t> window_days_;
  std::unique_ptr<Events> source_;

  GlobalPosition first_position_;
  Timestamp now_;
  std::deque<Stream> streams_;  // the first streams_used_ are this block's; what it holds does not move
  std::size_t streams_used_ = 0;
  PointerTable<Stream> stream_by_name_;
  std::vector<Stream*> request_streams_;  // of the request at hand
  std::vector<std::uint64_t> name_hashes_;
  std::unordered_map<std::string_view, std::uint32_t, SeededHash> type_by_name_;
  std::unordered_map<Uuid, GlobalPosition, SeededHash> ids_;
  std::vector<std::string_view> block_streams_;
  std::vector<Stream*> block_stream_heads_;
  std::vector<std::string_view> block_types_;
  std::vector<BlockContents::Event> events_;
  std::deque<std::vector<std::string_view>> tags_;
};

}  // namespace cairn
