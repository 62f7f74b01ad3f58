#pragma once

#include <fcntl.h>

#include <filesystem>
#include <utility>

#include "eventstore/base/file.h"

namespace cairn {

// Held by the one process that builds the read models of a data folder. It is an open-file-description lock,
// so the kernel releases it when the process ends in any way; and other processes can test it without taking
// it, so that a test never blocks a builder.
class FolderLock {
 public:
  // kFailedPrecondition: another process holds it.
  static Result<FolderLock> take(const std::filesystem::path& folder) {
    CAIRN_CHECK(make_folder(folder));
    CAIRN_TRY(File file, File::open(folder / kName, O_RDWR | O_CREAT));
    struct flock all = whole_file();
    if (::fcntl(file.descriptor(), F_OFD_SETLK, &all) != 0) {
      return make_error(
          Errc::kFailedPrecondition,
          "another process builds the read models in " + folder.string() +
              ", a server or `cairn project`, and only one can. Stop that one first; or, beside "
              "`cairn project`, start the server with --projections read");
    }
    return FolderLock(std::move(file));
  }

  // Whether a process holds it.
  static bool is_held(const std::filesystem::path& folder) {
    const auto file = File::open(folder / kName, O_RDWR);
    if (!file) return false;
    struct flock all = whole_file();
    return ::fcntl(file->descriptor(), F_OFD_GETLK, &all) == 0 && all.l_type != F_UNLCK;
  }

 private:
  static constexpr const char* kName = "lock";

  static struct flock whole_file() {
    struct flock all {};
    all.l_type = F_WRLCK;
    all.l_whence = SEEK_SET;
    return all;
  }

  explicit FolderLock(File file) : file_(std::move(file)) {}
  File file_;
};

}  // namespace cairn
