#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include "eventstore/base/result.h"

namespace cairn {

// An open file descriptor. The destructor closes it; child processes do not inherit it.
class File {
 public:
  static Result<File> open(const std::filesystem::path& path, int flags, unsigned mode = 0600);
  File(File&& other) noexcept;
  File& operator=(File&& other) noexcept;
  ~File();

  int descriptor() const { return descriptor_; }

 private:
  explicit File(int descriptor) : descriptor_(descriptor) {}
  int descriptor_;
};

// The size of the open file `descriptor`; `path` is for the message.
Result<std::uint64_t> file_size(int descriptor, const std::filesystem::path& path);

Result<std::string> read_file(const std::filesystem::path& path);

// The same, and kTooLarge when there are more than `bytes_max`, as of a device that has no end.
Result<std::string> read_file(const std::filesystem::path& path, std::size_t bytes_max);

// Writes a whole file and syncs it. Its name is durable only after sync_folder().
Status write_file(const std::filesystem::path& path, std::string_view content);

// Makes the directory entries of `folder` durable.
Status sync_folder(const std::filesystem::path& folder);

// Makes the names on the way to `folder` durable: its own, and those of the folders that it is in, up to the
// root of the file system or to a folder that this process may not read. A process that was killed may have
// made or renamed them without a sync.
Status sync_path(const std::filesystem::path& folder);

// Makes a folder with mode 0700, and its parents as needed, durably. Does nothing if it exists.
Status make_folder(const std::filesystem::path& folder);

}  // namespace cairn
