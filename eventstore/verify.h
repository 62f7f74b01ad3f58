#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "eventstore/base/result.h"

namespace cairn {

// One place where the stored bytes are damaged.
struct VerifyFinding {
  std::string place;  // "log block 1024, event at position 1031", "index stream order-42"
  std::string what;   // "checksum is 0x…, computed 0x…"
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

  bool sound() const { return damage_count == 0; }
};

inline constexpr std::size_t kVerifyFindingsMax = 100;

// `stage` is "log" or "index"; called every few thousand events with done <= total. Return false to cancel.
using VerifyProgress = std::function<bool(std::string_view stage, std::uint64_t done, std::uint64_t total)>;

// Reads everything in `folder` and checks it: checksums, hash chain, gapless positions, contiguous versions,
// and that the index agrees with the log. Changes nothing, and may run beside a server on the same folder.
// Damage is in the report; an error means that nothing could be read as a store (kNotFound, kCorruption for
// an unreadable file, kIo), or that `progress` cancelled (kFailedPrecondition).
Result<VerifyReport> verify_store(const std::filesystem::path& folder, const VerifyProgress& progress = {});

}  // namespace cairn
