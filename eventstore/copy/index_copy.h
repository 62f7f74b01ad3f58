#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>

#include "eventstore/base/result.h"
#include "eventstore/index/index.h"
#include "eventstore/store_copy.h"

namespace cairn {

struct IndexCopy {
  std::optional<IndexState> state;  // nullopt: it was never flushed
  std::uint64_t snapshots = 0;
};

// Writes what the index in `from` says at one moment into a new one in `to`, record by record, and returns
// when that is on disk. Each record's seal is checked; a damaged snapshot is passed over. While it runs, a
// server cannot use pages of the index again that it frees. Fails with kCorruption when the index in `from`
// is damaged, and with the errors of writing and of a progress that gave up otherwise.
Result<IndexCopy> copy_index(const std::filesystem::path& from, const std::filesystem::path& to,
                             const CopyProgress& progress);

}  // namespace cairn
