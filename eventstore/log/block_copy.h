#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "eventstore/base/result.h"
#include "eventstore/format/block_header.h"

namespace cairn {

// A block in memory of its own, aligned and padded with zeros to whole pages, as the journal writes it.
class BlockCopy {
 public:
  static constexpr std::size_t kPageBytes = 4096;
  static constexpr std::size_t padded(std::size_t bytes) {
    return (bytes + kPageBytes - 1) / kPageBytes * kPageBytes;
  }

  // Fails with kCorruption when `block` does not begin with a block header that fits it.
  static Result<std::shared_ptr<const BlockCopy>> of(std::span<const std::byte> block);

  GlobalPosition first_position() const { return header_.first_position; }
  GlobalPosition last_position() const { return header_.last_position(); }
  std::uint64_t epoch() const { return header_.epoch; }
  const Sha256& previous_hash() const { return header_.previous_hash; }
  std::span<const std::byte> bytes() const { return {pages_.get(), size_}; }
  std::span<const std::byte> pages() const { return {pages_.get(), padded(size_)}; }

  // Whether one of its pages but the first begins as a block does. Clients can bring that about with their
  // data; in the journal, where such a page may be left over, it could be taken for a block.
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
