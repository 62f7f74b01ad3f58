#include "tools/bench/temp_folder.h"

#include <linux/magic.h>
#include <sys/vfs.h>

#include <cerrno>
#include <cstdlib>
#include <sstream>

namespace cairn::bench {

Result<TempFolder> TempFolder::make(const std::filesystem::path& parent) {
  std::error_code failed;
  std::filesystem::create_directories(parent, failed);
  if (failed) return system_error("make folder " + parent.string(), failed.value());
  const std::string kind = file_system_name(parent);
  if (kind == "tmpfs" || kind == "ramfs") {
    return make_error(Errc::kFailedPrecondition, parent.string() + " is on " + kind +
                                                     ", where a sync costs nothing; name a folder on a disk");
  }
  std::string name = (std::filesystem::absolute(parent) / "cairn-bench-XXXXXX").string();
  if (mkdtemp(name.data()) == nullptr) return system_error("make folder " + name, errno);
  return TempFolder(std::filesystem::path(name));
}

TempFolder::~TempFolder() {
  if (path_.empty()) return;
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

std::filesystem::path default_temp_parent() {
  const char* chosen = std::getenv("TMPDIR");
  return chosen != nullptr && *chosen != '\0' ? chosen : "/var/tmp";
}

std::string file_system_name(const std::filesystem::path& path) {
  struct statfs info = {};
  if (statfs(path.c_str(), &info) != 0) return "unknown";
  switch (static_cast<unsigned long>(info.f_type)) {
    case EXT4_SUPER_MAGIC:
      return "ext4";
    case XFS_SUPER_MAGIC:
      return "xfs";
    case BTRFS_SUPER_MAGIC:
      return "btrfs";
    case TMPFS_MAGIC:
      return "tmpfs";
    case RAMFS_MAGIC:
      return "ramfs";
    case OVERLAYFS_SUPER_MAGIC:
      return "overlayfs";
  }
  std::ostringstream number;
  number << "0x" << std::hex << info.f_type;
  return number.str();
}

}  // namespace cairn::bench
