#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "tests/support/temp_folder.h"

namespace cairn::test {

// A small file system that a test can fill: tmpfs, or ext4 in a file. Needs permission to mount.
class SmallDisk {
 public:
  enum class Kind { kTmpfs, kExt4 };
  SmallDisk(Kind kind, std::uint64_t bytes);
  ~SmallDisk();
  SmallDisk(const SmallDisk&) = delete;
  SmallDisk& operator=(const SmallDisk&) = delete;

  // "" or the reason why there is none; then the test is skipped.
  const std::string& missing() const { return missing_; }
  std::filesystem::path path() const { return folder_ / "disk"; }

  // Creates a file that takes all space that is left, and removes it.
  void fill_up();
  void free_up();

 private:
  TempFolder folder_;
  std::string missing_;
  bool mounted_ = false;
};

}  // namespace cairn::test
