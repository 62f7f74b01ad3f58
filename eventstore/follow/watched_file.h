#pragma once

#include <sys/types.h>

#include <cstdint>
#include <filesystem>

#include "eventstore/base/result.h"

namespace cairn {

// A file that is open or mapped and must stay the one that its name leads to. Who restores a backup over a
// folder replaces files, or cuts them, and a mapped file that was cut is a bus error to look at.
class WatchedFile {
 public:
  // Fails with kCorruption when the file is missing.
  static Result<WatchedFile> at(std::filesystem::path path);

  // Fails with kCorruption when the name leads to another file, to none, or to one that became shorter.
  Status check();

  // Whether anything about the file has changed since the last call.
  Result<bool> touched();

 private:
  WatchedFile() = default;

  std::filesystem::path path_;
  dev_t device_ = 0;
  ino_t inode_ = 0;
  std::int64_t bytes_ = 0;
  std::int64_t changed_at_ = 0;  // by the kernel's clock, in nanoseconds
};

}  // namespace cairn
