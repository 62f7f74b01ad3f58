#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "eventstore/base/clock.h"

namespace cairn {

// Whether an absent data folder is made or is an error. A folder that has an identity file but lacks its data
// is an error either way.
enum class CreateIfMissing { kNo, kYes };

// One block that has just become durable.
struct CommitReport {
  std::size_t events = 0;
  std::size_t bytes = 0;
  std::chrono::nanoseconds took{0};
};

// How a store runs. The defaults suit a server; tests make them small.
struct StoreOptions {
  CreateIfMissing create = CreateIfMissing::kYes;

  // How long an event id appended with "any" or "exists" is remembered; nullopt = for ever. Ids are kept and
  // dropped by whole days.
  std::optional<std::uint32_t> dedup_window_days = 7;

  // First size of the memory maps. Address space, not memory; both double by themselves when full.
  std::uint64_t log_map_bytes = 64ull << 30;
  std::uint64_t index_map_bytes = 64ull << 30;

  // The journal that makes small commits durable with one sync; its size is fixed when the store is made.
  std::uint64_t journal_bytes = 32ull << 20;

  // The tail (index entries not flushed yet) is flushed when it holds this many events, and appends wait for
  // the flusher when there are three times as many.
  std::size_t tail_events_flush = 1u << 19;

  // The writer's queue. Beyond it appends are refused with kOverloaded.
  std::size_t queue_requests_max = 1u << 16;
  std::size_t queue_bytes_max = 128u << 20;

  // One commit takes at most this much; a single larger request makes a block of its own.
  std::size_t block_events_max = 16'384;
  std::size_t block_bytes_max = 4u << 20;

  // Concurrent read transactions; further ones wait.
  unsigned readers_max = 1'000;

  Clock clock = system_time;

  // Told, from a thread of the store, when only a new start can help: a commit failed and no more appends are
  // taken, or the index can neither be written nor read. Servers exit on it.
  std::function<void(std::string_view reason)> on_fatal;

  // Told of every commit, by the writer between two of them: it must be quick and must not call the store.
  std::function<void(const CommitReport&)> on_commit;

  // Told of what an operator would want in the log: an index rebuilt, a disk that is full, a flush that
  // failed.
  std::function<void(std::string_view message)> on_notice;
};

// How a store is read beside the process that has it.
struct FollowOptions {
  // How often the files are looked at for something new; what is new is seen after two looks at the latest.
  std::chrono::milliseconds look_every{10};

  // First size of the memory map; it follows the writer's when that one outgrows it.
  std::uint64_t log_map_bytes = 64ull << 30;

  // Concurrent read transactions; further ones wait. Each takes a slot of the 256 that all followers share.
  unsigned readers_max = 16;

  // Told, from a thread of the store, when there will be nothing new any more: the files are damaged, or not
  // those of the store that was followed so far.
  std::function<void(std::string_view reason)> on_fatal;

  // Told of what an operator would want in the log: the files cannot be read at the moment.
  std::function<void(std::string_view message)> on_notice;
};

}  // namespace cairn
