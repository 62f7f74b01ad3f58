#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "eventstore/base/result.h"
#include "eventstore/format/block_header.h"

namespace cairn {

// A copy of a block in page-aligned memory, padded with zeros to whole pages, as O_DIRECT writes need it.
// Immutable, so thread-safe.
class BlockCopy {
 public:
  static constexpr std::size_t kPageBytes = 4096;
  static constexpr std::size_t padded(std::size_t bytes) {
    return (bytes + kPageBytes - 1) / kPageBytes * kPageBytes;
  }

  // Fails with kCorruption when `block` does not begin with a block header that fits it.
  static Result<std::shared_ptr<const BlockCopy>> of(std::span<const std::byte> block);

  const BlockHeader& header() const { return header_; }
  LogPlace end() const { return header_.end(); }
  GlobalPosition first_position() const { return header_.first_position; }
  GlobalPosition last_position() const { return header_.last_position(); }
  std::uint64_t epoch() const { return header_.epoch; }
  const Sha256& previous_hash() const { return header_.previous_hash; }
  std::span<const std::byte> bytes() const { return {pages_.get(), size_}; }
  std::span<const std::byte> pages() const { return {pages_.get(), padded(size_)}; }

  // Whether a page other than the first begins with a block's magic number. A client can provoke this with
  // the data of its events. In the journal such a page can outlive its block and be mistaken for another one.
  bool has_page_like_a_block() const;

 private:
  struct Free {
    void operator()(std::byte* pages) const;
  };
  BlockCopy() = default;

  BlockHeader header_;
  std::unique_ptr<std::byte, Free> pages_;
  std::size_t size_ = 0;
};

}  // namespace cairn
