#pragma once

#include <filesystem>

namespace cairn::test {

// In memory a sync costs nothing, which suits tests that are not about the disk.
enum class Medium { kMemory, kDisk };

// An empty folder, removed with everything in it by the destructor.
class TempFolder {
 public:
  explicit TempFolder(Medium medium = Medium::kMemory);
  ~TempFolder();
  TempFolder(const TempFolder&) = delete;
  TempFolder& operator=(const TempFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }
  std::filesystem::path operator/(const std::filesystem::path& name) const { return path_ / name; }

 private:
  std::filesystem::path path_;
};

// Copies a folder and all in it to `to`, which is emptied first.
void copy_folder(const std::filesystem::path& from, const std::filesystem::path& to);

}  // namespace cairn::test
