#include "tools/cli/doctor/folder_checks.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include "api/status/growth.h"
#include "eventstore/base/time_text.h"
#include "tools/cli/text/number_text.h"

namespace cairn::cli {

namespace {

// Below these the disk may be full before an operator has seen an alert.
constexpr std::uint64_t kFreeBytesMin = 1u << 30;
constexpr std::uint64_t kFreeInodesMin = 1'000;
constexpr double kFreeShareMin = 0.15;
constexpr double kDaysUntilFullMin = 7;
// Below this appends are about to be refused.
constexpr double kFreeShareFailed = 0.05;
// What an append waits for at the median.
constexpr std::chrono::milliseconds kSyncMax{20};
// One descriptor for each connection, and those of the store.
constexpr std::uint64_t kOpenFilesMin = 8'192;
constexpr std::uint64_t kOpenFilesFailed = 1'024;
// Two maps of 64 GiB, and one of each read model.
constexpr std::uint64_t kAddressesMin = 256ull << 30;
// What docs/operations.md says a server needs at least.
constexpr std::uint64_t kMemoryMin = 512u << 20;
// A log that is further ahead of the clock was not written under this clock.
constexpr std::int64_t kClockSlackMicros = 5'000'000;

double share_of(std::uint64_t part, std::uint64_t whole) {
  return whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
}

Check check_folder(const FolderFacts& facts) {
  const std::string place = facts.place.string();
  if (!facts.is_folder) return {"folder", CheckVerdict::kFailed, place + " is not a folder"};
  if (!facts.not_writable.empty())
    return {"folder", CheckVerdict::kFailed, place + " cannot be written to: " + facts.not_writable};
  return {"folder", CheckVerdict::kOk, place};
}

Check check_owner(const OwnerFacts& facts, const std::string& folder) {
  const std::string text = fmt::format("owner {}, mode {:03o}", facts.owner, facts.mode);
  if (!facts.is_owner && !facts.is_root) {
    return {"owner", CheckVerdict::kFailed,
            fmt::format("{}, and this is {}: run the server and this command as {}", text, facts.process,
                        facts.owner)};
  }
  if (facts.foreign_files > 0) {
    return {"owner", CheckVerdict::kFailed,
            fmt::format("{}, but {} in it {} to another user, as {}: chown -R {} {}", text,
                        counted(facts.foreign_files, "file"), facts.foreign_files == 1 ? "belongs" : "belong",
                        facts.first_foreign, facts.owner, folder)};
  }
  if ((facts.mode & 022) != 0 || facts.writable_files > 0) {
    return {"owner", CheckVerdict::kFailed,
            fmt::format("{}: others than the owner can write to {}; chmod -R go-rwx {}", text,
                        (facts.mode & 022) != 0 ? "the folder" : facts.first_writable, folder)};
  }
  if ((facts.mode & 055) != 0) {
    return {"owner", CheckVerdict::kWarning,
            fmt::format("{}: others than the owner can list the folder; chmod 700 {}", text, folder)};
  }
  return {"owner", CheckVerdict::kOk, text};
}

bool has_mount_option(const DiskFacts& facts, std::string_view option) {
  return std::find(facts.options.begin(), facts.options.end(), option) != facts.options.end();
}

Check check_file_system(const DiskFacts& facts) {
  if (facts.file_system.empty())
    return {"file system", CheckVerdict::kWarning, "the kernel does not say which"};
  constexpr std::array kVirtual{"proc",    "sysfs",   "devpts",  "cgroup",
                                "cgroup2", "debugfs", "tracefs", "securityfs"};
  constexpr std::array kNetwork{"nfs", "nfs4", "cifs", "smb3", "smbfs", "9p", "coda"};
  const std::string text = fmt::format("{} of {} at {}", facts.file_system, facts.source, facts.mount_point);
  if (std::find(kNetwork.begin(), kNetwork.end(), facts.file_system) != kNetwork.end())
    return {"file system", CheckVerdict::kFailed, text + ": a store is not safe on a network file system"};
  if (std::find(kVirtual.begin(), kVirtual.end(), facts.file_system) != kVirtual.end())
    return {"file system", CheckVerdict::kFailed, text + ": it has no files of its own"};
  if (has_mount_option(facts, "ro"))
    return {"file system", CheckVerdict::kFailed,
            text + ": mounted read-only; after an error of the disk see the kernel's log, then remount it"};
  return {"file system", CheckVerdict::kOk, text};
}

Check check_durability(const DiskFacts& facts) {
  const std::vector<std::string> reasons = reasons_for_distrust(facts);
  if (!reasons.empty())
    return {"durability", CheckVerdict::kFailed, fmt::format("{}", fmt::join(reasons, "; "))};
  return {"durability", CheckVerdict::kOk,
          facts.kernel_cache.empty() ? "nothing speaks against syncs reaching the disk"
                                     : "syncs reach the disk; its write cache: " + facts.kernel_cache};
}

// The store as far as it could be read.
const QuickCheck* readable_store(const FolderFacts& facts) {
  return facts.store && facts.store->ok() ? &**facts.store : nullptr;
}

api::Growth growth_of_store(const QuickCheck& store, const SpaceFacts& space, Timestamp now) {
  if (!store.oldest_at) return {};
  const auto age = static_cast<double>(now.micros - store.oldest_at->micros) / 1e6;
  return api::growth_of(
      {.events = store.recent_events, .seconds = std::clamp(age, 0.0, api::kGrowthWindowSeconds)}, store.head,
      store.log_bytes + store.index_bytes, space.free_bytes);
}

Check check_space(const FolderFacts& facts) {
  if (!facts.space) return {"space", CheckVerdict::kFailed, "the free space cannot be read"};
  const SpaceFacts& space = *facts.space;
  const double free_share = share_of(space.free_bytes, space.bytes);
  std::string text = fmt::format("{} of {} free, {:.1f} %", byte_size(space.free_bytes),
                                 byte_size(space.bytes), free_share * 100);
  const QuickCheck* store = readable_store(facts);
  const api::Growth growth =
      store == nullptr ? api::Growth() : growth_of_store(*store, space, facts.clock.now);
  if (growth.bytes_per_day) text += fmt::format("; grows by {} a day", byte_size(*growth.bytes_per_day));
  if (growth.days_until_full && *growth.days_until_full < 10'000)
    text += fmt::format(", full in {:.0f} days", *growth.days_until_full);
  if (free_share < kFreeShareFailed)
    return {"space", CheckVerdict::kFailed, text + ": appends are refused when it is full; make room now"};
  if (growth.days_until_full && *growth.days_until_full < kDaysUntilFullMin)
    return {"space", CheckVerdict::kWarning, text + "; enlarge the disk"};
  if (space.free_bytes < kFreeBytesMin)
    return {"space", CheckVerdict::kWarning, text + ", less than " + byte_size(kFreeBytesMin)};
  if (free_share < kFreeShareMin)
    return {"space", CheckVerdict::kWarning, text + fmt::format("; keep {:.0f} % free", kFreeShareMin * 100)};
  if (space.inodes != 0 && space.free_inodes < kFreeInodesMin)
    return {"space", CheckVerdict::kWarning,
            fmt::format("{}, but only {} inodes", text, grouped(space.free_inodes))};
  return {"space", CheckVerdict::kOk, text};
}

Check check_syncs(const SyncFacts& facts) {
  if (facts.failed) return {"sync latency", CheckVerdict::kFailed, "a sync fails: " + facts.error};
  if (!facts.error.empty()) return {"sync latency", CheckVerdict::kWarning, "not measured: " + facts.error};
  const std::string text =
      fmt::format("{:.2f} ms, at worst {:.2f} ms of {}", static_cast<double>(facts.median.count()) / 1'000,
                  static_cast<double>(facts.worst.count()) / 1'000, facts.syncs);
  if (facts.median > kSyncMax)
    return {"sync latency", CheckVerdict::kWarning, text + ": every append waits for one"};
  return {"sync latency", CheckVerdict::kOk, text};
}

Check check_open_files(const LimitFacts& facts) {
  const std::string whose = facts.server ? fmt::format(", of process {}", *facts.server) : "";
  if (!facts.open_files) return {"open files", CheckVerdict::kOk, "unlimited" + whose};
  const std::string text = "at most " + grouped(*facts.open_files) + whose;
  if (*facts.open_files < kOpenFilesMin) {
    return {"open files",
            *facts.open_files < kOpenFilesFailed ? CheckVerdict::kFailed : CheckVerdict::kWarning,
            text + ", one for each connection; raise the hard limit to " + grouped(kOpenFilesMin) +
                " (LimitNOFILE, ulimit -Hn)"};
  }
  return {"open files", CheckVerdict::kOk, text};
}

Check check_limits(const LimitFacts& facts) {
  if (facts.addresses && *facts.addresses < kAddressesMin) {
    return {
        "limits", CheckVerdict::kFailed,
        fmt::format("the address space is limited to {} (ulimit -v), and maps of log and index take 64 GiB "
                    "each: remove the limit",
                    byte_size(*facts.addresses))};
  }
  if (facts.file_bytes) {
    return {"limits", CheckVerdict::kFailed,
            fmt::format("files are limited to {} (ulimit -f), and the log is one file: remove the limit",
                        byte_size(*facts.file_bytes))};
  }
  return {"limits", CheckVerdict::kOk, "neither addresses nor the size of files are limited"};
}

Check check_memory(const MemoryFacts& facts) {
  if (facts.strict_overcommit && facts.commit_left_bytes < 2 * kMemoryMin) {
    return {
        "memory", CheckVerdict::kWarning,
        fmt::format("vm.overcommit_memory is 2 and {} can still be allocated: a server may need {}; raise "
                    "vm.overcommit_ratio",
                    byte_size(facts.commit_left_bytes), byte_size(2 * kMemoryMin))};
  }
  if (facts.group_limit_bytes && *facts.group_limit_bytes < kMemoryMin) {
    return {"memory", CheckVerdict::kWarning,
            fmt::format("the control group is limited to {}; a server may need {} (MemoryMax)",
                        byte_size(*facts.group_limit_bytes), byte_size(2 * kMemoryMin))};
  }
  if (facts.available_bytes == 0) return {"memory", CheckVerdict::kOk, "no limit is known"};
  const std::string text = byte_size(facts.available_bytes) + " available";
  if (facts.available_bytes < kMemoryMin)
    return {"memory", CheckVerdict::kWarning,
            text + fmt::format("; a server may need {}", byte_size(2 * kMemoryMin))};
  return {"memory", CheckVerdict::kOk, text};
}

std::string time_words(Timestamp time) {
  const auto text = time_text(time);
  return std::string(text.data(), text.size());
}

Check check_clock(const ClockFacts& facts, const QuickCheck* store) {
  if (store != nullptr && store->newest_at &&
      store->newest_at->micros > facts.now.micros + kClockSlackMicros) {
    return {"clock", CheckVerdict::kFailed,
            fmt::format("it is {} behind the newest event, which was recorded at {}: the times of new events "
                        "stand still until it has caught up; set the clock",
                        duration_text(static_cast<double>(store->newest_at->micros - facts.now.micros) / 1e6),
                        time_words(*store->newest_at))};
  }
  if (facts.synchronised == false) {
    return {"clock", CheckVerdict::kWarning,
            "the kernel's clock is not synchronised: times of events may be wrong; run a time service"};
  }
  if (store == nullptr || !store->newest_at)
    return {"clock", CheckVerdict::kOk, "it is " + time_words(facts.now)};
  return {"clock", CheckVerdict::kOk, "the newest event was recorded at " + time_words(*store->newest_at)};
}

Check check_versions(const FolderFacts& facts, const QuickCheck& store) {
  std::string text =
      fmt::format("cairn {}, log format {}", facts.version, static_cast<unsigned>(store.newest_block_format));
  if (store.index_format) text += fmt::format(", index format {}", *store.index_format);
  return {"versions", CheckVerdict::kOk, text};
}

Check check_damage(const QuickCheck& store) {
  const std::string text =
      fmt::format("the newest {} with {}, of {} in the log", counted(store.blocks, "block"),
                  counted(store.events, "event"), grouped(store.head));
  if (!store.findings.empty()) {
    const VerifyFinding& first = store.findings.front();
    return {"damage", CheckVerdict::kFailed,
            fmt::format(
                "{}: {}{}. Stop the server, copy the folder, then run cairn verify", first.place, first.what,
                store.findings.size() == 1 ? "" : fmt::format(" (and {} more)", store.findings.size() - 1))};
  }
  return {"damage", CheckVerdict::kOk,
          "none in " + text + (store.in_time ? "" : ", as many as could be read in 2 s") +
              "; cairn verify reads all"};
}

Check check_lock(const LockFacts& facts, const QuickCheck* store) {
  if (facts.holder)
    return {"lock", CheckVerdict::kOk, fmt::format("process {} has the store open", *facts.holder)};
  if (store != nullptr && store->is_open)
    return {"lock", CheckVerdict::kOk, "a process that cannot be seen from here has the store open"};
  if (!facts.exists || facts.process.empty())
    return {"lock", CheckVerdict::kOk, "no process has the store open"};
  return {
      "lock", CheckVerdict::kOk,
      fmt::format("no process has the store open; the file names process {}, which does not hold it any more",
                  facts.process)};
}

}  // namespace

std::vector<Check> folder_checks(const FolderFacts& facts) {
  std::vector<Check> checks = {check_folder(facts)};
  if (facts.owner) checks.push_back(check_owner(*facts.owner, facts.folder.string()));
  checks.push_back(check_file_system(facts.disk));
  checks.push_back(check_durability(facts.disk));
  checks.push_back(check_space(facts));
  checks.push_back(check_syncs(facts.sync));
  checks.push_back(check_open_files(facts.limits));
  checks.push_back(check_limits(facts.limits));
  checks.push_back(check_memory(facts.memory));
  checks.push_back(check_clock(facts.clock, readable_store(facts)));
  if (!facts.store) return checks;
  if (const QuickCheck* store = readable_store(facts); store != nullptr) {
    checks.push_back(check_versions(facts, *store));
    checks.push_back(check_damage(*store));
  } else {
    checks.push_back({"damage", CheckVerdict::kFailed, facts.store->error().message});
  }
  checks.push_back(check_lock(facts.lock, readable_store(facts)));
  return checks;
}

}  // namespace cairn::cli
