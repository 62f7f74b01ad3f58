#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "eventstore/base/mutex.h"
#include "eventstore/base/result.h"
#include "eventstore/format/block_reader.h"
#include "eventstore/index/index.h"
#include "eventstore/index/stream_head.h"

namespace cairn {

// The heads of the system streams, which are few: kept in memory, updated block by block. Thread-safe;
// take() from one thread at a time.
class SystemStreams {
 public:
  // Loads the heads that the store's index has, so that only later blocks need to be read, and returns how
  // far the index goes: position 0 when there is no index, or none that can be read. Some heads may be ahead
  // of that, after a flush that was cut short; take() skips events that a head has already. REQUIRES: no
  // block was taken yet.
  IndexState begin(const std::filesystem::path& index_folder, const Uuid& store_id) CAIRN_EXCLUDES(mutex_);

  // Applies the next block. Fails with kCorruption when an event does not follow the one before it.
  // REQUIRES: the block is open with kWholeBlock.
  Status take(BlockReader& block);

  std::optional<StreamHead> find(std::string_view stream) const;

  // The position of the newest event of all system streams; 0 when there is none.
  GlobalPosition last_position() const;

 private:
  Result<IndexState> read_index(const std::filesystem::path& folder, const Uuid& store_id)
      CAIRN_REQUIRES(mutex_);

  mutable Mutex mutex_;
  std::map<std::string, StreamHead, std::less<>> heads_ CAIRN_GUARDED_BY(mutex_);
};

}  // namespace cairn
