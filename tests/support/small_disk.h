#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "tests/support/temp_folder.h"

namespace cairn::test {

// A small file system that a test can fill: tmpfs, or ext4 in a file. Those with a journal can lose their
// power. Needs permission to mount.
class SmallDisk {
 public:
  enum class Kind { kTmpfs, kExt4, kExt4Journal, kXfs };
  // mkfs.xfs makes nothing smaller. The image is sparse.
  static constexpr std::uint64_t kXfsBytesMin = 300u << 20;

  // `mount_options` as mount(8) takes them, for a file system in a file.
  SmallDisk(Kind kind, std::uint64_t bytes, std::string mount_options = "");
  ~SmallDisk();
  SmallDisk(const SmallDisk&) = delete;
  SmallDisk& operator=(const SmallDisk&) = delete;

  // "" or the reason why there is none; then the test is skipped.
  const std::string& missing() const { return missing_; }
  std::filesystem::path path() const { return folder_ / "disk"; }

  // Creates a file that takes all space that is left, and removes it.
  void fill_up();
  void free_up();

  // From now on nothing more reaches the image, as in a power cut: what was written and not synced is lost,
  // and every later write and sync fails with EIO. False with errno where the file system cannot do that.
  // REQUIRES: a kind with a journal.
  bool cut_power();
  // Unmounts the file system and mounts it again, which replays its journal. False with a message on stderr.
  // REQUIRES: no process has a file open on it.
  bool restore_power();

 private:
  bool mount_image();

  TempFolder folder_;
  std::string mount_options_;
  std::string missing_;
  bool mounted_ = false;
};

}  // namespace cairn::test
