#pragma once

#include <filesystem>
#include <string>
#include <utility>

#include "eventstore/base/result.h"

namespace cairn::bench {

// A temporary folder. The destructor removes it with its content.
class TempFolder {
 public:
  // Makes a folder "cairn-bench-……" in `parent`. Fails with kFailedPrecondition when `parent` is in memory
  // (tmpfs, ramfs): a sync costs nothing there, and all figures would be wrong.
  static Result<TempFolder> make(const std::filesystem::path& parent);

  TempFolder(TempFolder&& other) noexcept : path_(std::exchange(other.path_, {})) {}
  TempFolder& operator=(TempFolder&&) = delete;
  ~TempFolder();

  const std::filesystem::path& path() const { return path_; }

 private:
  explicit TempFolder(std::filesystem::path path) : path_(std::move(path)) {}

  std::filesystem::path path_;
};

// The default parent of temporary folders: $TMPDIR, else /var/tmp, which unlike /tmp is on a disk.
std::filesystem::path default_temp_parent();

// "ext4", "xfs", …, or the type's number in hex.
std::string file_system_name(const std::filesystem::path& path);

}  // namespace cairn::bench
