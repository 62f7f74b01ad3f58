#pragma once

#include <fcntl.h>
#include <sys/file.h>

#include <filesystem>

#include "eventstore/base/file.h"

namespace cairn {

// Held by the one process that builds the read models of a data folder.
class FolderLock {
 public:
  // kFailedPrecondition: another process has it.
  static Result<FolderLock> take(const std::filesystem::path& folder) {
    CAIRN_CHECK(make_folder(folder));
    CAIRN_TRY(File file, File::open(folder / "lock", O_RDWR | O_CREAT));
    if (flock(file.descriptor(), LOCK_EX | LOCK_NB) != 0) {
      return make_error(Errc::kFailedPrecondition,
                        "another process builds the read models in " + folder.string());
    }
    return FolderLock(std::move(file));
  }

 private:
  explicit FolderLock(File file) : file_(std::move(file)) {}
  File file_;
};

}  // namespace cairn
