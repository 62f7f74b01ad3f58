#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "eventstore/base/clock.h"
#include "eventstore/base/result.h"
#include "eventstore/quick_check.h"
#include "tools/cli/serve/disk_facts.h"

namespace cairn::cli {

// Who may do what with a folder and its files.
struct OwnerFacts {
  std::string process;  // the user that runs `cairn doctor`, "root"
  std::string owner;    // of the folder, "cairn"
  bool is_owner = false;
  bool is_root = false;
  unsigned mode = 0;                 // of the folder, as 0700
  std::uint64_t foreign_files = 0;   // of another owner than the folder
  std::string first_foreign;         // "log/data.mdb of root"
  std::uint64_t writable_files = 0;  // by the group or by others; the folder itself is not counted
  std::string first_writable;        // "log/data.mdb"
};

struct SpaceFacts {
  std::uint64_t bytes = 0;
  std::uint64_t free_bytes = 0;
  std::uint64_t inodes = 0;  // 0: the file system has none to count
  std::uint64_t free_inodes = 0;
};

struct SyncFacts {
  std::string error;    // why nothing was measured; empty: nothing was wrong
  bool failed = false;  // a write or a sync failed, and not only the measurement
  std::size_t syncs = 0;
  std::chrono::microseconds median{0};
  std::chrono::microseconds worst{0};
};

// Limits of the process that has the store open, or else of this one.
struct LimitFacts {
  std::optional<int> server;                // the process that has the store open
  std::optional<std::uint64_t> open_files;  // nullopt = unlimited, as the next
  std::optional<std::uint64_t> addresses;   // bytes of address space
  std::optional<std::uint64_t> file_bytes;  // of one file
};

struct MemoryFacts {
  std::uint64_t available_bytes = 0;               // 0 = unknown
  std::optional<std::uint64_t> group_limit_bytes;  // of the control group
  bool strict_overcommit = false;                  // vm.overcommit_memory is 2
  std::uint64_t commit_left_bytes = 0;             // with it: what may still be allocated
};

struct ClockFacts {
  Timestamp now;
  std::optional<bool> synchronised;  // by the kernel's own word; nullopt = it does not say
};

struct LockFacts {
  bool exists = false;
  std::string process;        // that the file names
  std::optional<int> holder;  // that holds it
};

// What `cairn doctor` knows of a data folder. Gathered by gather_folder_facts(), judged by folder_checks().
struct FolderFacts {
  std::filesystem::path folder;     // as it was given
  std::filesystem::path place;      // the folder, or its nearest parent
  bool is_folder = false;           // `place`
  std::string not_writable;         // why this process cannot write there; empty: it can
  std::optional<OwnerFacts> owner;  // nullopt when the folder does not exist
  DiskFacts disk;
  std::optional<SpaceFacts> space;
  SyncFacts sync;
  LimitFacts limits;
  MemoryFacts memory;
  ClockFacts clock;
  LockFacts lock;
  std::string version;                      // of this program
  std::optional<Result<QuickCheck>> store;  // nullopt: there is no store yet
};

// Reads all of it: leaves nothing behind, and may run beside a server.
FolderFacts gather_folder_facts(const std::filesystem::path& folder, const std::string& version);

}  // namespace cairn::cli
