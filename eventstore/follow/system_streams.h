#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "eventstore/base/result.h"
#include "eventstore/format/block_reader.h"
#include "eventstore/index/index.h"
#include "eventstore/index/stream_head.h"

namespace cairn {

// The heads of Cairn's own streams, which are few: kept in memory, block after block. Any thread; take() from
// one at a time.
class SystemStreams {
 public:
  // Begins with what the store's index knows, so that only what came after needs to be read, and says how far
  // that goes: 0 when there is no index, or none that can be read. Stream heads may know more than that, as
  // after a flush that was cut short; take() does not mind. REQUIRES: nothing was taken yet.
  IndexState begin(const std::filesystem::path& index_folder, const Uuid& store_id);

  // Takes in the next block. Fails with kCorruption when an event does not follow the one before it.
  // REQUIRES: the block is open with kWholeBlock.
  Status take(BlockReader& block);

  std::optional<StreamHead> find(std::string_view stream) const;

  // The newest event of any of them; 0 when there is none.
  GlobalPosition last_position() const;

  // Up to `limit` streams after `after` that `wanted` likes, in order of their names.
  std::vector<std::pair<std::string, StreamHead>> list(
      std::string_view after, std::size_t limit, const std::function<bool(std::string_view)>& wanted) const;

 private:
  Result<IndexState> read_index(const std::filesystem::path& folder, const Uuid& store_id);

  mutable std::mutex mutex_;
  std::map<std::string, StreamHead, std::less<>> heads_;
};

}  // namespace cairn
