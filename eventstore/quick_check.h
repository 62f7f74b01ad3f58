#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "eventstore/base/result.h"
#include "eventstore/types.h"
#include "eventstore/verify.h"

namespace cairn {

struct QuickCheckOptions {
  std::uint64_t blocks_max = 1'000;                      // the newest ones are read
  std::chrono::milliseconds time_max{2'000};             // then the check ends
  std::chrono::seconds recent = std::chrono::hours(24);  // for `recent_events`
  Timestamp now;
};

// What quick_check_store() has read and found.
struct QuickCheck {
  std::string store_id;
  LogFormat newest_block_format = kNewestLogFormat;
  std::optional<std::uint32_t> index_format;  // nullopt: there is no index, or it was never flushed
  std::uint64_t indexed_through = 0;
  bool is_open = false;      // by some process; its pages were not looked at
  std::uint64_t blocks = 0;  // read and checked
  std::uint64_t events = 0;
  bool in_time = true;  // false: time_max passed before all of blocks_max
  std::uint64_t log_bytes = 0;
  std::uint64_t index_bytes = 0;
  std::uint64_t head = 0;
  std::optional<Timestamp> newest_at;  // of the newest block that could be read
  std::optional<Timestamp> oldest_at;  // of the first
  std::uint64_t recent_events = 0;     // recorded within `recent`
  std::vector<VerifyFinding> findings;
};

// Reads the end of the log in `folder`, the state of its index and cairn.json, and checks them: checksums, the hash
// chain, that the index is of this log. Finds damage there within `time_max`; verify_store() looks everywhere.
// Changes nothing, and may run beside a server on the same folder; without one it holds a shared lock for the moment
// in which it looks at the pages. Damage is in the findings; an error means that nothing could be read as a store, as
// for verify_store(). REQUIRES: this process does not have the store open.
Result<QuickCheck> quick_check_store(const std::filesystem::path& folder, const QuickCheckOptions& options);

}  // namespace cairn
