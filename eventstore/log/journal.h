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

// Makes a block durable with one sync; LMDB needs two for a commit, and a commit is what every writer waits
// for. The file has two halves of a fixed size, written in turn and over and over, so its blocks on disk are
// allocated once and a sync changes no metadata. Blocks go from here to LMDB in bulk; a half is written again
// when all its blocks are there.
//
//   0      header page: u32 magic "CRNJ", u32 format 1, u64 bytes of a half, u64 XXH3-64 of the 16 bytes
//   before 4096   first half, then the second: blocks one after the other, each padded with zeros to whole
//   pages
//
// No page is written while it holds something that is not in LMDB, so a torn write hurts only what was not
// acknowledged. What is left of earlier rounds is told apart by its positions, which LMDB has. Only the first
// page of a block begins as blocks do, or pages that are left over could be taken for one.
class Journal {
 public:
  // Makes a journal of about `bytes` and writes all of it once.
  static Status create(const std::filesystem::path& file, std::uint64_t bytes);

  enum class Access { kReadWrite, kReadOnly };
  // Fails with kCorruption when the file is missing, cut or has a damaged header.
  static Result<std::unique_ptr<Journal>> open(const std::filesystem::path& file, Access access);

  using Block = std::shared_ptr<const BlockCopy>;

  // The blocks that follow position `end`, in order; half-written ones are passed over. Fails with
  // kCorruption when there are blocks beyond a gap: then one that was acknowledged is damaged.
  Result<std::vector<Block>> blocks_after(GlobalPosition end) const;

  // How long the block that begins at the start of `bytes` says it is; 0 when none begins there.
  static std::uint64_t claimed_bytes(std::span<const std::byte> bytes);

  // The block that begins at the start of `bytes`; empty unless there is a whole and sound one.
  static std::span<const std::byte> sound_block(std::span<const std::byte> bytes);

  // Copies whole pages of a half, as they are at this moment: a writer may be half-way through them.
  // REQUIRES: `offset` and the size of `pages` are multiples of a page, `pages` is aligned to one, and all of
  // it lies in the half.
  Status read_pages(unsigned half, std::uint64_t offset, std::span<std::byte> pages) const;

  // Makes durable what the file holds, whoever wrote it. Read-only access is enough for that.
  Status sync() const;

  int file_descriptor() const { return file_.descriptor(); }

  // The largest block it takes.
  std::uint64_t block_bytes_max() const { return half_bytes_; }

  // Whether the half in use has room for `block`.
  bool has_room(const BlockCopy& block) const { return offset_ + block.pages().size() <= half_bytes_; }

  // The last position in the half that is not in use: it must be in LMDB before turn_over().
  GlobalPosition other_half_end() const { return last_[1 - half_]; }
  void turn_over();

  // Nothing may be written before `end` is in LMDB: both halves may hold what is not.
  void hold_until(GlobalPosition end);

  // Writes and syncs. An error is kOutcomeUnknown. REQUIRES: has_room(block), !block.has_page_like_a_block().
  Status write(const BlockCopy& block);

 private:
  Journal(File file, std::filesystem::path path, std::uint64_t half_bytes)
      : file_(std::move(file)), path_(std::move(path)), half_bytes_(half_bytes) {}
  Status read_half(unsigned half, GlobalPosition end, std::vector<Block>& blocks) const;

  File file_;
  std::filesystem::path path_;
  std::uint64_t half_bytes_;
  unsigned half_ = 0;
  std::uint64_t offset_ = 0;
  std::array<GlobalPosition, 2> last_{};
};

}  // namespace cairn
