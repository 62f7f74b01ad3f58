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

// Copies all blocks that are durable in the log in `from` at the time of the call into a new log in `to`, and
// returns when the copy is durable. All blocks go to the copy's data.mdb; its journal is empty and has the
// size of the source's. `index` is the state of an index that was copied before: the log must contain the
// block that it ends with. Fails with kCorruption as copy_store() says.
Result<LogCopy> copy_log(const std::filesystem::path& from, const std::filesystem::path& to,
                         const Uuid& store_id, const std::optional<IndexState>& index,
                         const CopyProgress& progress);

}  // namespace cairn
