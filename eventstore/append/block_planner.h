#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory_resource>
#include <span>
#include <string_view>
#include <vector>

#include "eventstore/append/append_queue.h"
#include "eventstore/append/pending_state.h"
#include "eventstore/base/result.h"
#include "eventstore/format/block_builder.h"
#include "eventstore/index/block_summary.h"
#include "eventstore/log/log_end.h"

namespace cairn {

// Decides what goes into the next block. Not thread-safe: belongs to the writer thread, but for
// prepared_for().
//
// Invariants, asserted in block_planner.cc by their numbers:
//  1. A request is decided about in the PendingState after every request accepted before it, in this block or an
//     earlier one: first whether it is a repeat, then by its checks (append_checks.h).
//  2. A request that is refused changes nothing: all of it is checked before any of it is placed.
//  3. Positions and versions are assigned here and nowhere else, without gaps. They hold once the block is
//     committed: begin() starts over from the end of the log.
class BlockPlanner {
 public:
  explicit BlockPlanner(const PendingState::Parts& parts);

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
  void release_readers() { state_.release_readers(); }

  // The block to write behind `end`: views of the planner and the requests. REQUIRES: not empty.
  BlockContents contents(LogFormat format, const LogEnd& end) const;

  // What the block adds to the index. Moves the stream heads out: call once, after the commit.
  // REQUIRES: events() > 0.
  BlockSummary summary(const Sha256& hash);

 private:
  using Stream = PendingState::Stream;

  // Whether the events of `request` were appended before; then puts their versions and positions into `result`.
  // kEventIdReused if an id belongs to another event, or only a part was appended before.
  // REQUIRES: request_streams_ are those of the request.
  Result<bool> find_repeat(const AppendRequest& request, AppendResult& result);
  // Assigns positions and versions to the events of `append`, and puts them into `result`.
  void take(const StreamAppend& append, Stream& stream, StreamAppendResult& result);

  const SipKey id_key_;  // of the ids for events that came without one
  std::vector<BlockContents::Event> events_;
  PendingState state_;  // looks at events_

  GlobalPosition first_position_;
  Timestamp now_;
  std::vector<Stream*> request_streams_;  // of the request being added
  std::vector<std::uint64_t> name_hashes_;
  std::vector<std::string_view> block_streams_;
  std::vector<Stream*> block_stream_heads_;
  std::array<std::byte, 32u << 10> first_tags_;  // enough for most blocks
  std::pmr::monotonic_buffer_resource tags_{first_tags_.data(),
                                            first_tags_.size()};  // views of those of requests
  std::deque<std::vector<EventPart>> parts_;                      // of the events that have some
  std::vector<EventTerm> terms_;
  std::vector<Note> notes_;
};

}  // namespace cairn
