#pragma once

#include <sys/stat.h>

#include <cstdint>
#include <filesystem>
#include <optional>

namespace cairn {

// Identifies one version of a file that is replaced by rename, without opening it.
struct FileMark {
  std::uint64_t device = 0;
  std::uint64_t inode = 0;
  std::int64_t changed_at = 0;  // by the kernel's clock, in nanoseconds
  std::int64_t bytes = 0;

  // nullopt when there is no such file.
  static std::optional<FileMark> of(const std::filesystem::path& file) {
    struct stat seen {};
    if (::stat(file.c_str(), &seen) != 0) return std::nullopt;
    return FileMark{seen.st_dev, seen.st_ino,
                    seen.st_ctim.tv_sec * std::int64_t{1'000'000'000} + seen.st_ctim.tv_nsec, seen.st_size};
  }

  friend bool operator==(const FileMark&, const FileMark&) = default;
};

}  // namespace cairn
