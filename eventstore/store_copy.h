#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>

#include "eventstore/base/result.h"

namespace cairn {

// `stage` is "index" or "log", or "check log" or "check index" while a folder is verified. Return false to
// cancel.
using CopyProgress = std::function<bool(std::string_view stage, std::uint64_t done, std::uint64_t total)>;

// Which folders are verified, as verify_store() does it: the source before anything is written (kBoth), and
// the copy before it gets its name. While the source is verified and no process has it open, none can open
// it.
enum class CopyCheck { kNothing, kCopy, kBoth };

struct CopyOptions {
  CopyCheck check = CopyCheck::kCopy;
  CopyProgress progress;
};

// The copy that copy_store() has made.
struct CopyReport {
  std::string store_id;
  std::uint64_t blocks = 0;
  std::uint64_t head = 0;  // the last position in it, and how many events it has
  std::string head_hash;
  std::uint64_t log_bytes = 0;  // of the blocks
  std::uint64_t indexed_through = 0;
  std::uint64_t snapshots = 0;
  std::uint64_t bytes = 0;  // of all files of the copy
  std::string index_left_out =
      {};  // why the copy has no index; empty when it has one, or the source has none
};

// Copies the store in `from` into the folder `to`, which must not exist, or be empty. The copy is renamed to
// `to` when it is complete and on disk; before that, and after a failure, there is no store in `to`.
//
// Guarantees:
//  1. It does not disturb the process that has the store open, which may append, stop, crash and start again
//     meanwhile. Nothing is written to `from` but LMDB's reader tables.
//  2. The copy is a prefix of the log: its blocks are byte for byte the first blocks of the source, each
//     checked against its checksum and the hash chain. Every event acknowledged before the call is in it.
//  3. It keeps the identity of the store. The index is of a moment before the end of the log, with its
//     snapshots and ids; the rest is built when the copy is opened. An index that cannot be read is left
//     out, because it can be built from the log. Read models are not copied.
//
// Fails with kCorruption when the log is damaged (the message says where), or not the one its index was
// built from; kNotFound when there is no store in `from`; kInvalidArgument when `to` cannot be used;
// kDiskFull; kIo; kFailedPrecondition when another process is making the same copy, or `progress` cancelled.
// A failure leaves nothing, neither in `to` nor beside it. A process that is killed leaves files that the
// next call with the same `to` removes: see StagedFolder. REQUIRES: this process has neither folder open in
// another way.
Result<CopyReport> copy_store(const std::filesystem::path& from, const std::filesystem::path& to,
                              const CopyOptions& options);

}  // namespace cairn
