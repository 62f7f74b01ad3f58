#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>

#include "eventstore/base/result.h"
#include "eventstore/index/index.h"
#include "eventstore/log/log_end.h"
#include "eventstore/store_copy.h"

namespace cairn {

struct LogCopy {
  LogEnd end;
  std::uint64_t blocks = 0;
  std::uint64_t bytes = 0;
};

// Writes the blocks of the log in `from`, as far as it is on disk when this is called, into a new log in
// `to`, all of them into its data.mdb, and returns when they are on disk there. The journal of the copy is
// empty and as large as the other. `index` is the state of an index that was read before: the log must have
// its last block. Fails with kCorruption as copy_store() says.
Result<LogCopy> copy_log(const std::filesystem::path& from, const std::filesystem::path& to,
                         const Uuid& store_id, const std::optional<IndexState>& index,
                         const CopyProgress& progress);

}  // namespace cairn
