#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>

#include "eventstore/base/result.h"

namespace cairn {

// `stage` is "index", "log", or those of a walk over one of the folders: "check log", "check index". Return
// false to give up.
using CopyProgress = std::function<bool(std::string_view stage, std::uint64_t done, std::uint64_t total)>;

// Which folders are walked over as verify_store() does it: the one that is copied, before anything is
// written, and the copy, before it gets its name. While the former is walked over, and nobody has it open,
// nobody can open it.
enum class CopyCheck { kNothing, kCopy, kBoth };

struct CopyOptions {
  CopyCheck check = CopyCheck::kCopy;
  CopyProgress progress;
};

// What copy_store() has made.
struct CopyReport {
  std::string store_id;
  std::uint64_t blocks = 0;
  std::uint64_t head = 0;  // the last position in it, and how many events it has
  std::string head_hash;
  std::uint64_t log_bytes = 0;  // of the blocks
  std::uint64_t indexed_through = 0;
  std::uint64_t snapshots = 0;
  std::uint64_t bytes = 0;          // of all files of the copy
  std::string index_left_out = {};  // why it has no index; empty when it has one, or there was none
};

// Copies the store in `from` into the folder `to`, which must not be there, or be empty. The copy gets that
// name when it is whole and on disk; before that, and whatever happens, there is no store in `to`.
//
// What holds:
//  1. It takes nothing from whoever has the store open, who may append, stop, crash and start again
//     meanwhile. Nothing is written to `from` but LMDB's tables of readers.
//  2. The copy is a prefix of the log: its blocks are the very bytes of the first blocks there, and each was
//     checked against its checksum and the chain of hashes. Every event acknowledged before the call is in
//     it.
//  3. It keeps the store's identity. The index is that of a moment before the log's end, with the snapshots
//     and remembered ids in it; the rest is made when the copy is opened. One that cannot be read is left
//     out, for it can be made from the log. Read models are never copied.
//
// Fails with kCorruption when the log is damaged (the message says where), or not the one its index was made
// from; kNotFound when there is no store in `from`; kInvalidArgument when `to` cannot be used; kDiskFull;
// kIo; kFailedPrecondition when another process is making the same copy, or `progress` gave up. Then nothing
// is left of it, neither in `to` nor beside it. Only a process that is killed leaves something, which the
// next call with the same `to` removes: see StagedFolder. REQUIRES: this process has neither of the two open
// in another way.
Result<CopyReport> copy_store(const std::filesystem::path& from, const std::filesystem::path& to,
                              const CopyOptions& options);

}  // namespace cairn
