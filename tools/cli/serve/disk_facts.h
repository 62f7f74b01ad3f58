#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace cairn::cli {

// What the kernel says about the file system that holds a folder, and about the disk below it.
struct DiskFacts {
  std::string file_system;           // "ext4"; empty = unknown
  std::string source;                // "/dev/sda1"
  std::string mount_point;           // "/var/lib"
  std::vector<std::string> options;  // of the mount and of the file system
  std::string kernel_cache;          // "write back" or "write through"; empty = unknown
  std::string drive_cache;           // what a SCSI or SATA drive says of itself; empty = unknown
};

// Of the file system that holds `folder`, which need not exist: then its nearest parent counts. `proc` and
// `sys` are /proc/self and /sys.
DiskFacts disk_facts(const std::filesystem::path& folder, const std::filesystem::path& proc = "/proc/self",
                     const std::filesystem::path& sys = "/sys");

// Why what was synced may be lost with the power, one sentence each; empty when nothing speaks against the
// disk. A drive that reports a sync as done before it is done cannot be recognised.
std::vector<std::string> reasons_for_distrust(const DiskFacts& facts);

// The folder itself, or its nearest parent that exists.
std::filesystem::path nearest_existing(const std::filesystem::path& folder);

}  // namespace cairn::cli
