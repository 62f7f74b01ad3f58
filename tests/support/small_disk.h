#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "tests/support/temp_folder.h"

namespace cairn::test {

// A file system of its own, small enough to fill: tmpfs, or ext4 in a file. Needs the right to mount.
class SmallDisk {
 public:
  enum class Kind { kTmpfs, kExt4 };
  SmallDisk(Kind kind, std::uint64_t bytes);
  ~SmallDisk();
  SmallDisk(const SmallDisk&) = delete;
  SmallDisk& operator=(const SmallDisk&) = delete;

  // "" or why there is no disk here; then a test has nothing to do.
  const std::string& missing() const { return missing_; }
  std::filesystem::path path() const { return folder_ / "disk"; }

  // A foreign file that takes all that is left, and its end.
  void fill_up();
  void free_up();

 private:
  TempFolder folder_;
  std::string missing_;
  bool mounted_ = false;
};

}  // namespace cairn::test
