#include "eventstore/log/block_copy.h"

#include <cstdlib>
#include <cstring>
#include <new>

#include "eventstore/base/endian.h"

namespace cairn {

void BlockCopy::Free::operator()(std::byte* pages) const { std::free(pages); }

Result<std::shared_ptr<const BlockCopy>> BlockCopy::of(std::span<const std::byte> block) {
  CAIRN_TRY(const BlockHeader header, BlockHeader::read(block));
  std::shared_ptr<BlockCopy> copy(new BlockCopy);
  copy->header_ = header;
  copy->size_ = block.size();
  copy->pages_.reset(static_cast<std::byte*>(std::aligned_alloc(kPageBytes, padded(block.size()))));
  if (copy->pages_ == nullptr) throw std::bad_alloc();
  std::memcpy(copy->pages_.get(), block.data(), block.size());
  std::memset(copy->pages_.get() + block.size(), 0, padded(block.size()) - block.size());
  return std::shared_ptr<const BlockCopy>(std::move(copy));
}

bool BlockCopy::has_page_like_a_block() const {
  for (std::size_t at = kPageBytes; at < size_; at += kPageBytes) {
    if (load_le<std::uint32_t>(pages_.get() + at) == BlockHeader::kMagic) return true;
  }
  return false;
}

}  // namespace cairn
