#pragma once

#include <filesystem>
#include <optional>

#include "eventstore/base/file.h"
#include "eventstore/base/result.h"

namespace cairn {

// A folder in the making, which gets its name when it is whole. Where the name is free, it is made beside it
// as `<name>.partial` and renamed. Where there is an empty folder, which may be a mounted disk that cannot be
// renamed, it is made in it as `.partial`, and its files are moved up in the end, cairn.json last: a folder
// without that is no store. The destructor removes what was not finished.
class StagedFolder {
 public:
  // Begins a folder for `target`, and removes what a killed process has left of one. Fails with
  // kInvalidArgument when `target` is there and not an empty folder, or what would be removed is not of that
  // kind, and with kFailedPrecondition when another process is making it.
  static Result<StagedFolder> begin(const std::filesystem::path& target);

  StagedFolder(StagedFolder&& other) noexcept;
  StagedFolder& operator=(StagedFolder&&) = delete;
  ~StagedFolder();

  // Where it is made.
  const std::filesystem::path& path() const { return path_; }

  // Gives it its name, durably. REQUIRES: what is in it is synced.
  Status finish();

 private:
  StagedFolder(std::filesystem::path target, std::filesystem::path path, bool inside)
      : target_(std::move(target)), path_(std::move(path)), inside_(inside) {}
  Status make();
  Status move_up();

  std::filesystem::path target_;
  std::filesystem::path path_;
  bool inside_;
  std::optional<File> lock_;  // of the folder itself, while it is ours
};

}  // namespace cairn
