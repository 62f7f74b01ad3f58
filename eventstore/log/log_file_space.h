#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <string>
#include <thread>

#include "eventstore/base/result.h"

namespace cairn {

// Keeps the log's file ahead of its use, for two reasons. Space that the file already has cannot run out in the
// middle of a commit: a full disk shows here, before anything is written. And a commit into pages that were
// written before (with zeros) changes no metadata of the file, so its sync needs no journal commit.
//
// Invariant: pages below filled_ may belong to LMDB and are never touched here; zeros go to pages at and above
// it, and filled_ moves only after they are there. The writer takes no page at or above filled_.
class LogFileSpace {
 public:
  // `descriptor` must stay open. `fill_bytes` = 0 allocates without zeros and without a thread.
  LogFileSpace(int descriptor, std::string name, std::uint64_t file_bytes, std::uint64_t fill_bytes);
  ~LogFileSpace();
  LogFileSpace(const LogFileSpace&) = delete;
  LogFileSpace& operator=(const LogFileSpace&) = delete;

  // Makes sure the file has room after `used` for a block of `block_bytes` and what its commit takes besides. Fails
  // with kDiskFull; a later call tries again.
  Status reserve(std::uint64_t used, std::uint64_t block_bytes);

  // What a commit takes beside the block: a new path through the tree and the list of free pages.
  static constexpr std::uint64_t kCommitSlackBytes = 256u << 10;

 private:
  // REQUIRES: mutex_ held.
  Status write_zeros(std::uint64_t bytes);
  Status allocate(std::uint64_t bytes);
  void run();

  const int descriptor_;
  const std::string name_;
  const std::uint64_t fill_bytes_;
  std::atomic<std::uint64_t> filled_;
  std::atomic<std::uint64_t> used_ = 0;

  std::mutex mutex_;  // held while the file is extended
  std::mutex wake_mutex_;
  std::condition_variable wake_;
  bool wanted_ = false;
  bool stopping_ = false;
  std::thread filler_;
};

}  // namespace cairn
