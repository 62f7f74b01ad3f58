#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>

#include "eventstore/base/result.h"
#include "eventstore/index/index.h"
#include "eventstore/store_copy.h"

namespace cairn {

struct IndexCopy {
  std::optional<IndexState> state;  // nullopt: the index was never flushed
  std::uint64_t snapshots = 0;
};

// Copies a snapshot of the index in `from` into a new index in `to`, record by record, and returns when the
// copy is durable. Checks each record's checksum; leaves out damaged aggregate snapshots. While it runs, a
// server that writes to `from` cannot reuse pages that it frees. Fails with kCorruption when the index in
// `from` is damaged, with kFailedPrecondition when `progress` cancels the copy, and with the errors of
// writing.
Result<IndexCopy> copy_index(const std::filesystem::path& from, const std::filesystem::path& to,
                             const CopyProgress& progress);

}  // namespace cairn
