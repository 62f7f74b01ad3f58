#pragma once

#include <sys/types.h>

#include <cstdint>
#include <filesystem>

#include "eventstore/base/result.h"

namespace cairn {

// Checks that a file that is open or mapped is still the one at its path. An operator who restores a backup
// over a folder replaces or truncates files, and reading a mapped file that was truncated is a bus error.
// Not thread-safe.
class WatchedFile {
 public:
  // Fails with kCorruption when the file is missing.
  static Result<WatchedFile> at(std::filesystem::path path);

  // Fails with kCorruption when there is another file at the path, or none, or it became shorter.
  Status check();

  // Whether anything about the file has changed since the last call.
  Result<bool> touched();

 private:
  WatchedFile() = default;

  std::filesystem::path path_;
  dev_t device_ = 0;
  ino_t inode_ = 0;
  std::int64_t bytes_ = 0;
  std::int64_t changed_at_ = 0;  // ctime, in nanoseconds
};

}  // namespace cairn
