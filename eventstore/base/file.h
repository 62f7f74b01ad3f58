#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include "eventstore/base/result.h"

namespace cairn {

// An open file, closed by the destructor, never inherited by child processes.
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

// Writes a whole file and syncs it; its name is durable after sync_folder().
Status write_file(const std::filesystem::path& path, std::string_view content);

// Makes the names in `folder` durable.
Status sync_folder(const std::filesystem::path& folder);

// Makes a folder only its owner can enter, and its parents as needed.
Status make_folder(const std::filesystem::path& folder);

}  // namespace cairn
