#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "eventstore/base/result.h"
#include "eventstore/types.h"

namespace cairn {

// One place where the stored bytes are damaged.
struct VerifyFinding {
  std::string place;  // "log block 1024, event at position 1031", "index stream order-42"
  std::string what;   // "checksum is 0x…, computed 0x…"
};

// An event id that several events have. It is no damage: beyond the window of remembered ids a client may use
// an id again (StoreOptions::dedup_window_days).
struct RepeatedId {
  std::string id;
  std::vector<std::uint64_t> positions;  // ascending
};

// What verify_store() has checked and found.
struct VerifyReport {
  std::string store_id;
  std::uint64_t blocks = 0;  // checksums and chain links checked
  std::uint64_t events = 0;  // positions, versions, event checksums and back pointers checked
  std::uint64_t log_bytes = 0;
  std::uint64_t streams = 0;            // heads compared with the log
  std::uint64_t index_records = 0;      // records of every index table, checksums and contents compared
  std::uint64_t snapshots = 0;          // among the index records
  std::uint64_t snapshots_damaged = 0;  // among the snapshots; a cache, so no damage of the store
  std::uint64_t indexed_through =
      0;  // the index covers positions up to this one; the tail is rebuilt at start
  std::uint64_t head = 0;
  std::string head_hash;  // hash of the last block, hex
  std::uint64_t damage_count = 0;
  std::vector<VerifyFinding> findings;  // the first ones, at most kVerifyFindingsMax

  // With VerifyIds::kList and a log without damage, else nullopt: how many ids several events have. The first
  // ones are in `repeated_ids`, at most kVerifyFindingsMax.
  std::optional<std::uint64_t> repeated_id_count;
  std::vector<RepeatedId> repeated_ids;

  bool sound() const { return damage_count == 0; }
};

inline constexpr std::size_t kVerifyFindingsMax = 100;

// Whether to look for ids that several events have, which reads the log two or three times more.
enum class VerifyIds { kIgnore, kList };

// `stage` is "log", "index" or "ids"; called every few thousand events with done <= total. Return false to cancel.
using VerifyProgress = std::function<bool(std::string_view stage, std::uint64_t done, std::uint64_t total)>;

// Called with each event that could be read, in the order of the log; the views live until it returns.
using VerifyVisitor = std::function<void(const EventView& event)>;

// Reads everything in `folder` and checks it: checksums, hash chain, gapless positions, contiguous versions,
// and that the index agrees with the log. Changes nothing, and may run beside a server on the same folder.
// Damage is in the report; an error means that nothing could be read as a store (kNotFound, kCorruption for
// an unreadable file, kIo), or that `progress` cancelled (kFailedPrecondition).
Result<VerifyReport> verify_store(const std::filesystem::path& folder, const VerifyProgress& progress = {},
                                  VerifyIds ids = VerifyIds::kIgnore, const VerifyVisitor& visit = {});

}  // namespace cairn
