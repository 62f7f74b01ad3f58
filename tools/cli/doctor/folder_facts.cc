#include "tools/cli/doctor/folder_facts.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <pwd.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/sysmacros.h>
#include <sys/timex.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <fstream>
#include <limits>
#include <map>
#include <sstream>
#include <system_error>

#include "eventstore/base/file.h"

namespace cairn::cli {

namespace {

namespace fs = std::filesystem;

// How often a sync is measured.
constexpr std::size_t kSyncs = 32;
// A store has a few files for each projection.
constexpr std::size_t kFilesMax = 10'000;

std::string user_name(uid_t user) {
  std::array<char, 4096> buffer;
  passwd entry{};
  passwd* found = nullptr;
  if (::getpwuid_r(user, &entry, buffer.data(), buffer.size(), &found) == 0 && found != nullptr)
    return found->pw_name;
  return "user " + std::to_string(user);
}

std::optional<OwnerFacts> owner_facts(const fs::path& folder) {
  struct stat of {};
  if (::stat(folder.c_str(), &of) != 0 || !S_ISDIR(of.st_mode)) return std::nullopt;
  OwnerFacts facts{.process = user_name(::geteuid()),
                   .owner = user_name(of.st_uid),
                   .is_owner = ::geteuid() == of.st_uid,
                   .is_root = ::geteuid() == 0,
                   .mode = of.st_mode & 0777u,
                   .foreign_files = 0,
                   .first_foreign = {},
                   .writable_files = 0,
                   .first_writable = {}};
  std::error_code error;
  fs::recursive_directory_iterator at(folder, fs::directory_options::skip_permission_denied, error);
  for (std::size_t seen = 0; !error && at != fs::recursive_directory_iterator() && seen < kFilesMax;
       at.increment(error), ++seen) {
    struct stat file {};
    const std::string name = at->path().lexically_relative(folder).string();
    if (name == "lost+found" || ::lstat(at->path().c_str(), &file) != 0) continue;
    if (file.st_uid != of.st_uid && facts.foreign_files++ == 0)
      facts.first_foreign = name + " of " + user_name(file.st_uid);
    if (!S_ISLNK(file.st_mode) && (file.st_mode & 022) != 0 && facts.writable_files++ == 0)
      facts.first_writable = name;
  }
  return facts;
}

std::optional<SpaceFacts> space_facts(const fs::path& place) {
  struct statvfs disk {};
  if (::statvfs(place.c_str(), &disk) != 0) return std::nullopt;
  return SpaceFacts{.bytes = std::uint64_t{disk.f_blocks} * disk.f_frsize,
                    .free_bytes = std::uint64_t{disk.f_bavail} * disk.f_frsize,
                    .inodes = disk.f_files,
                    .free_inodes = disk.f_favail};
}

// Writes 4 KiB and syncs, as a small append does, to a file without a name.
SyncFacts sync_facts(const fs::path& place) {
  SyncFacts facts;
  auto file = File::open(place, O_RDWR | O_TMPFILE);
  if (!file) {
    facts.error = file.error().message;
    return facts;
  }
  using Clock = std::chrono::steady_clock;
  const std::array<char, 4096> page{};
  std::vector<std::chrono::microseconds> took;
  for (std::size_t i = 0; i < kSyncs; ++i) {
    const auto begin = Clock::now();
    if (::pwrite(file->descriptor(), page.data(), page.size(), static_cast<off_t>(i * page.size())) !=
            static_cast<ssize_t>(page.size()) ||
        ::fdatasync(file->descriptor()) != 0) {
      facts.error = std::strerror(errno);
      facts.failed = true;
      return facts;
    }
    took.push_back(std::chrono::duration_cast<std::chrono::microseconds>(Clock::now() - begin));
  }
  std::sort(took.begin(), took.end());
  facts.syncs = took.size();
  facts.median = took[took.size() / 2];
  facts.worst = took.back();
  return facts;
}

// The process that holds a lock of flock(2) on the file, from /proc/locks:
//   1: FLOCK  ADVISORY  WRITE 4711 08:01:157973 0 EOF
// Taking the lock to find out could make a server fail that starts at this moment.
std::optional<int> holder_of(const fs::path& file) {
  struct stat of {};
  if (::stat(file.c_str(), &of) != 0) return std::nullopt;
  const std::string wanted = fmt::format("{:02x}:{:02x}:{}", major(of.st_dev), minor(of.st_dev), of.st_ino);
  std::ifstream locks("/proc/locks");
  for (std::string line; std::getline(locks, line);) {
    std::istringstream words(line);
    std::string number, kind, mode, access, place;
    int process = 0;
    if (words >> number >> kind >> mode >> access >> process >> place && kind == "FLOCK" && place == wanted)
      return process;
  }
  return std::nullopt;
}

LockFacts lock_facts(const fs::path& folder) {
  LockFacts facts;
  std::error_code error;
  facts.exists = fs::exists(folder / "lock", error);
  if (!facts.exists) return facts;
  std::ifstream(folder / "lock") >> facts.process;
  facts.holder = holder_of(folder / "lock");
  return facts;
}

std::optional<std::uint64_t> finite(rlim_t limit) {
  return limit == RLIM_INFINITY ? std::nullopt : std::optional<std::uint64_t>(limit);
}

// The value behind "Max open files            1024                 524288               files": the soft one.
std::optional<std::uint64_t> soft_limit(const std::string& limits, const std::string& name) {
  const std::size_t at = limits.find(name);
  if (at == std::string::npos) return std::nullopt;
  std::istringstream words(limits.substr(at + name.size()));
  std::uint64_t value = 0;
  return words >> value ? std::optional(value) : std::nullopt;  // "unlimited" is no number
}

LimitFacts limit_facts(std::optional<int> server) {
  if (server && *server > 0) {
    const auto limits = read_file("/proc/" + std::to_string(*server) + "/limits");
    if (limits.ok()) {
      return {.server = server,
              .open_files = soft_limit(*limits, "Max open files"),
              .addresses = soft_limit(*limits, "Max address space"),
              .file_bytes = soft_limit(*limits, "Max file size")};
    }
  }
  LimitFacts facts;
  rlimit limit{};
  // A server raises the soft limit to the hard one.
  if (::getrlimit(RLIMIT_NOFILE, &limit) == 0) facts.open_files = finite(limit.rlim_max);
  if (::getrlimit(RLIMIT_AS, &limit) == 0) facts.addresses = finite(limit.rlim_cur);
  if (::getrlimit(RLIMIT_FSIZE, &limit) == 0) facts.file_bytes = finite(limit.rlim_cur);
  return facts;
}

// "MemAvailable:   12345 kB"
std::map<std::string, std::uint64_t> kernel_memory() {
  std::map<std::string, std::uint64_t> bytes;
  std::ifstream lines("/proc/meminfo");
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string name;
    std::uint64_t kib = 0;
    if (words >> name >> kib) bytes[name] = kib << 10;
  }
  return bytes;
}

// Of this process's group in the unified hierarchy; in a container that is the container's.
std::optional<std::uint64_t> group_memory_limit() {
  std::ifstream groups("/proc/self/cgroup");
  for (std::string line; std::getline(groups, line);) {
    if (!line.starts_with("0::")) continue;
    std::uint64_t bytes = 0;
    if (std::ifstream("/sys/fs/cgroup" + line.substr(3) + "/memory.max") >> bytes) return bytes;
  }
  return std::nullopt;
}

MemoryFacts memory_facts() {
  auto kernel = kernel_memory();
  MemoryFacts facts{.available_bytes = kernel["MemAvailable:"],
                    .group_limit_bytes = group_memory_limit(),
                    .strict_overcommit = false,
                    .commit_left_bytes = 0};
  int mode = 0;
  facts.strict_overcommit = std::ifstream("/proc/sys/vm/overcommit_memory") >> mode && mode == 2;
  const std::uint64_t limit = kernel["CommitLimit:"], used = kernel["Committed_AS:"];
  facts.commit_left_bytes = limit > used ? limit - used : 0;
  return facts;
}

ClockFacts clock_facts() {
  ClockFacts facts{.now = system_time(), .synchronised = {}};
  timex state{};
  if (::adjtimex(&state) >= 0) facts.synchronised = (state.status & STA_UNSYNC) == 0;
  return facts;
}

}  // namespace

FolderFacts gather_folder_facts(const fs::path& folder, const std::string& version) {
  FolderFacts facts;
  std::error_code error;
  facts.folder = folder;
  facts.place = nearest_existing(folder);
  facts.is_folder = fs::is_directory(facts.place, error);
  if (facts.is_folder && ::access(facts.place.c_str(), W_OK | X_OK) != 0)
    facts.not_writable = std::strerror(errno);
  if (fs::is_directory(folder, error)) facts.owner = owner_facts(folder);
  facts.disk = disk_facts(facts.place);
  facts.space = space_facts(facts.place);
  facts.sync = sync_facts(facts.place);
  facts.lock = lock_facts(folder);
  facts.limits = limit_facts(facts.lock.holder);
  facts.memory = memory_facts();
  facts.clock = clock_facts();
  facts.version = version;
  if (fs::exists(folder / "cairn.json", error) || fs::exists(folder / "log" / "data.mdb", error)) {
    QuickCheckOptions options;
    options.now = facts.clock.now;
    facts.store.emplace(quick_check_store(folder, options));
  }
  return facts;
}

}  // namespace cairn::cli
