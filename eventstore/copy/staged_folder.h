#pragma once

#include <filesystem>
#include <optional>

#include "eventstore/base/file.h"
#include "eventstore/base/result.h"

namespace cairn {

// A store folder that appears under its name only when it is complete. If the target does not exist, the
// folder is built as `<name>.partial` and renamed. If the target is an empty folder, which may be a mount
// point that cannot be renamed, it is built in `.partial` inside it, and its files are moved up at the end,
// cairn.json last: a folder without that file is no store. The destructor removes a folder that was not
// finished. Not thread-safe.
class StagedFolder {
 public:
  // Starts a folder for `target`, and removes an unfinished one that a killed process left. Fails with
  // kInvalidArgument when `target` exists and is not an empty folder, or when the unfinished one contains
  // files that no copy makes; with kFailedPrecondition when another process is building it.
  static Result<StagedFolder> begin(const std::filesystem::path& target);

  StagedFolder(StagedFolder&& other) noexcept;
  StagedFolder& operator=(StagedFolder&&) = delete;
  ~StagedFolder();

  // The folder to write to.
  const std::filesystem::path& path() const { return path_; }

  // Moves the folder to its target, durably. REQUIRES: its files are synced; finish() was not called before.
  Status finish();

 private:
  StagedFolder(std::filesystem::path target, std::filesystem::path path, bool inside)
      : target_(std::move(target)), path_(std::move(path)), inside_(inside) {}
  Status make();
  Status move_up();

  std::filesystem::path target_;
  std::filesystem::path path_;
  bool inside_;               // `path_` is a folder in `target_`
  std::optional<File> lock_;  // of `path_`, until finish()
};

}  // namespace cairn
