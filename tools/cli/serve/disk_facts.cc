#include "tools/cli/serve/disk_facts.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include <algorithm>
#include <fstream>
#include <sstream>
#include <string_view>

namespace cairn::cli {

namespace {

namespace fs = std::filesystem;

std::string first_line_of(const fs::path& file) {
  std::ifstream stream(file);
  std::string line;
  std::getline(stream, line);
  return line;
}

void add_options(std::vector<std::string>& options, const std::string& text) {
  std::istringstream words(text);
  for (std::string word; std::getline(words, word, ',');) {
    if (!word.empty() && std::find(options.begin(), options.end(), word) == options.end())
      options.push_back(word);
  }
}

// How many bytes of `path` the mount point covers; 0 when it is elsewhere.
std::size_t covered(const std::string& path, const std::string& point) {
  if (point == "/") return 1;
  const bool covers = path.starts_with(point) && (path.size() == point.size() || path[point.size()] == '/');
  return covers ? point.size() : 0;
}

// Reads the mount of `device` that holds `path` from /proc/self/mountinfo:
//   36 35 98:0 /root /mnt rw,noatime shared:1 - ext4 /dev/sda1 rw,nobarrier
// A device can be mounted at several places with options of their own: the innermost place counts, and of equal
// ones the last, which was mounted over the others.
void read_mount(const fs::path& mountinfo, const std::string& device, const std::string& path,
                DiskFacts& facts) {
  std::ifstream mounts(mountinfo);
  std::size_t best = 0;
  for (std::string line; std::getline(mounts, line);) {
    std::istringstream words(line);
    std::string id, parent, of, root, point, options, word, kind, source, super_options;
    if (!(words >> id >> parent >> of >> root >> point >> options) || of != device) continue;
    while (words >> word && word != "-") {
    }
    if (!(words >> kind >> source >> super_options) || covered(path, point) < best) continue;
    best = covered(path, point);
    facts.file_system = kind;
    facts.source = source;
    facts.mount_point = point;
    facts.options.clear();
    add_options(facts.options, options);
    add_options(facts.options, super_options);
  }
}

// The folder of sysfs with `queue` in it: a partition has none of its own.
fs::path disk_of(const fs::path& sys, const std::string& device) {
  std::error_code error;
  const fs::path link = sys / "dev/block" / device;
  if (!fs::exists(link, error)) return {};
  const fs::path place = fs::canonical(link, error);
  return fs::exists(place / "queue", error) ? place : place.parent_path();
}

void read_caches(const fs::path& disk, DiskFacts& facts) {
  if (disk.empty()) return;
  facts.kernel_cache = first_line_of(disk / "queue/write_cache");
  std::error_code error;
  for (const auto& drive : fs::directory_iterator(disk / "device/scsi_disk", error))
    facts.drive_cache = first_line_of(drive.path() / "cache_type");
}

bool has_option(const DiskFacts& facts, std::string_view option) {
  return std::find(facts.options.begin(), facts.options.end(), option) != facts.options.end();
}

}  // namespace

fs::path nearest_existing(const fs::path& folder) {
  std::error_code error;
  fs::path place = fs::absolute(folder, error).lexically_normal();
  while (!fs::exists(place, error) && place.has_relative_path()) place = place.parent_path();
  return place;
}

DiskFacts disk_facts(const fs::path& folder, const fs::path& proc, const fs::path& sys) {
  DiskFacts facts;
  std::error_code error;
  const fs::path place = fs::canonical(nearest_existing(folder), error);
  struct stat of {};
  if (error || ::stat(place.c_str(), &of) != 0) return facts;
  const std::string device = fmt::format("{}:{}", major(of.st_dev), minor(of.st_dev));
  read_mount(proc / "mountinfo", device, place.string(), facts);
  read_caches(disk_of(sys, device), facts);
  return facts;
}

std::vector<std::string> reasons_for_distrust(const DiskFacts& facts) {
  std::vector<std::string> reasons;
  if (facts.file_system == "tmpfs" || facts.file_system == "ramfs") {
    reasons.push_back(fmt::format("{} at {} is in memory, and all of it is lost with the power",
                                  facts.file_system, facts.mount_point));
  }
  for (const std::string_view option : {"nobarrier", "barrier=0"}) {
    if (!has_option(facts, option)) continue;
    reasons.push_back(
        fmt::format("{} is mounted with {}: a sync does not reach the disk behind its write cache; mount it "
                    "without that option",
                    facts.mount_point, option));
  }
  if (facts.file_system == "overlay" && has_option(facts, "volatile")) {
    reasons.push_back(
        fmt::format("{} is an overlay mounted with volatile, where a sync does nothing; use a "
                    "volume of its own",
                    facts.mount_point));
  }
  if (facts.drive_cache.starts_with("write back") && facts.kernel_cache == "write through") {
    reasons.push_back(fmt::format(
        "{} has a write cache that the kernel does not flush (queue/write_cache is 'write through', "
        "the drive says '{}'); write 'write back' to queue/write_cache",
        facts.source, facts.drive_cache));
  }
  return reasons;
}

}  // namespace cairn::cli
