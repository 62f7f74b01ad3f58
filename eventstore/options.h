#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "eventstore/base/clock.h"
#include "eventstore/base/log_event.h"
#include "eventstore/types.h"

namespace cairn {

// Whether an absent data folder is created or is an error. A folder that has an identity file but lacks its
// data is an error either way.
enum class CreateIfMissing { kNo, kYes };

// One block that has just become durable.
struct CommitReport {
  std::size_t events = 0;
  std::size_t bytes = 0;
  std::chrono::nanoseconds took{0};
  // For each append with events in the block: from the queue of the writer having taken it to its events being
  // visible. Lives until the callback returns.
  std::span<const std::chrono::nanoseconds> waited = {};
};

// How a store runs. The defaults suit a server; tests make them small.
struct StoreOptions {
  CreateIfMissing create = CreateIfMissing::kYes;

  // How long the id of an event is kept, to recognise a retry of an append with "any" or "exists";
  // nullopt = for ever. Ids are dropped by whole days.
  std::optional<std::uint32_t> dedup_window_days = 7;

  // Initial size of the memory maps. Address space, not memory; both double when full.
  std::uint64_t log_map_bytes = 64ull << 30;
  std::uint64_t index_map_bytes = 64ull << 30;

  // The journal (write-ahead log) makes small commits durable with one sync. Its size is fixed when the store
  // is created.
  std::uint64_t journal_bytes = 32ull << 20;

  // The tail (the memtable of the index) is flushed when it holds this many events; at three times as many
  // appends wait for the flusher (backpressure).
  std::size_t tail_events_flush = 1u << 19;

  // The memory of the tail, with the part of it that is kept as a cache after a flush. A quarter of it is
  // flushed whatever the number of events; at the bound appends wait for the flusher.
  std::size_t tail_bytes_max = 512u << 20;

  // Bounds of the writer's queue. An append beyond them is refused with kOverloaded.
  std::size_t queue_requests_max = 1u << 16;
  std::size_t queue_bytes_max = 128u << 20;

  // Bounds of one commit; a single larger request makes a block of its own.
  std::size_t block_events_max = 16'384;
  std::size_t block_bytes_max = 4u << 20;

  // While several clients append: the part of each in one commit, so that no client waits long for the commits
  // of another. 64 KiB are written in about the time of a sync.
  std::size_t client_block_bytes_max = 64u << 10;

  // Concurrent read transactions; further ones block.
  unsigned readers_max = 1'000;

  // The format of new blocks. A log that has blocks of a newer one keeps to that. Format 1 is for tests.
  LogFormat log_format = kNewestLogFormat;

  Clock clock = system_time;

  // Called on a thread of the store when only a restart helps: a commit failed and the store takes no more
  // appends, or the index can neither be written nor read. Servers exit on it.
  std::function<void(std::string_view reason)> on_fatal;

  // Called by the writer thread after each commit. Must not block and must not call the store.
  std::function<void(const CommitReport&)> on_commit;

  // Gets the lines for the operator's log: the index is rebuilt, the disk is full, a flush failed.
  LogSink on_log;
};

// How a store is read beside the process that has it open.
struct FollowOptions {
  // How often the files are polled; a new event is seen after two polls at the latest.
  std::chrono::milliseconds poll_interval{10};

  // Initial size of the memory map; it grows when the writer's does.
  std::uint64_t log_map_bytes = 64ull << 30;

  // Concurrent read transactions; further ones block. Each takes one of the 256 slots that all followers
  // share.
  unsigned readers_max = 16;

  // Called on a thread of the follower when it ends: the files are damaged, or no longer those of the store
  // that was followed so far.
  std::function<void(std::string_view reason)> on_fatal;

  // Gets the lines for the operator's log: the files cannot be read at the moment.
  LogSink on_log;
};

}  // namespace cairn
