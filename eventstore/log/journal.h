#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <vector>

#include "eventstore/base/file.h"
#include "eventstore/base/result.h"
#include "eventstore/log/block_copy.h"

namespace cairn {

// The write-ahead log in front of LMDB. It makes a block durable with one sync, where an LMDB commit needs
// two, and every append waits for that. The file has two halves of fixed size, written alternately and
// overwritten again and again, so its disk blocks are allocated once and a sync changes no metadata. Blocks
// move from here to LMDB in bulk.
//
//   0      header page: u32 magic "CRNJ", u32 format, u64 bytes of a half,
//          u64 XXH3-64 of the 16 bytes before. The format is that of the newest blocks which may be there,
//          so that a program that cannot read them refuses the journal
//   4096   first half, then the second: blocks one after the other, each padded
//          with zeros to whole pages
//
// What holds:
//  1. A half is overwritten only when all its blocks are in LMDB, so a torn write damages only a block that
//     was not acknowledged.
//  2. Blocks left over from earlier rounds have places that LMDB contains; recovery ignores them.
//  3. Only the first page of a block begins with a block's magic number. Otherwise a page left over from a
//     partly overwritten block could be mistaken for a block.
//
// Not thread-safe, but any number of processes may read while one writes.
class Journal {
 public:
  // Makes a journal of about `bytes` for blocks of `format`, and writes all of it once, which allocates its
  // disk blocks.
  static Status create(const std::filesystem::path& file, std::uint64_t bytes,
                       LogFormat format = kNewestLogFormat);

  enum class Access { kReadWrite, kReadOnly };
  // Fails with kCorruption when the file is missing or truncated, or its header is damaged, and with
  // kFailedPrecondition when it may have blocks of a newer format.
  static Result<std::unique_ptr<Journal>> open(const std::filesystem::path& file, Access access);

  using Block = std::shared_ptr<const BlockCopy>;

  // The blocks behind `end`, in order. A torn block at the end is skipped. Fails with kCorruption
  // when there is a gap before a valid block: then an acknowledged block is damaged.
  Result<std::vector<Block>> blocks_after(LogPlace end) const;

  // The size that the block header at the start of `bytes` claims; 0 when there is no block header.
  static std::uint64_t claimed_bytes(std::span<const std::byte> bytes);

  // The block at the start of `bytes`; empty unless it is complete and its checksum matches.
  static std::span<const std::byte> sound_block(std::span<const std::byte> bytes);

  // Reads whole pages of a half. Another process may be writing them, so they can be torn.
  // REQUIRES: `offset` and the size of `pages` are multiples of the page size, `pages` is aligned to it, and
  // the range is inside the half.
  Status read_pages(unsigned half, std::uint64_t offset, std::span<std::byte> pages) const;

  // Makes the file's present content durable, also what another process wrote. Works with kReadOnly.
  Status sync() const;

  int file_descriptor() const { return file_.descriptor(); }
  LogFormat format() const { return format_; }

  // The size of the largest block that fits, padding included.
  std::uint64_t block_bytes_max() const { return half_bytes_; }

  // Whether `block` fits into the rest of the active half.
  bool has_room(const BlockCopy& block) const { return offset_ + block.pages().size() <= half_bytes_; }

  // The end of the last block in the inactive half. It must be in LMDB before switch_half() (invariant 1).
  LogPlace other_half_end() const { return last_[1 - half_]; }

  // Makes the other half the active one, to be overwritten from its start.
  // REQUIRES: everything up to `settled`, which is at least other_half_end(), is in LMDB.
  void switch_half(const LogPlace& settled);

  // Marks both halves as full up to `end`: after recovery from a crash either may contain blocks that are not
  // in LMDB, so nothing is written until `end` is.
  void mark_full(const LogPlace& end);

  // Makes the header say, durably, that there may be blocks of `format`, unless it does. kFailedPrecondition
  // after a failed sync, which no later one makes good: nothing may be written then. REQUIRES: writable.
  Status raise_format(LogFormat format);

  // Writes and syncs the block. kDiskFull: the block is not in the journal, and the next one may be tried. The
  // disk blocks were allocated by create(), but a copy of the file may be sparse or share them (reflink).
  // Every other failure is kOutcomeUnknown, also a full disk that the sync reports: which pages it has written
  // is not known then.
  // REQUIRES: has_room(block); !block.has_page_like_a_block() (invariant 3).
  Status write(const BlockCopy& block);

 private:
  Journal(File file, std::filesystem::path path, LogFormat format, std::uint64_t half_bytes)
      : file_(std::move(file)), path_(std::move(path)), format_(format), half_bytes_(half_bytes) {}
  bool lacks(const BlockCopy& block) const;
  Status read_half(unsigned half, const LogPlace& end, std::vector<Block>& blocks) const;

  File file_;
  std::filesystem::path path_;
  LogFormat format_;
  std::uint64_t half_bytes_;
  unsigned half_ = 0;               // the active one
  std::uint64_t offset_ = 0;        // where the next block goes in it
  std::array<LogPlace, 2> last_{};  // the end of the last block written to each half
};

}  // namespace cairn
