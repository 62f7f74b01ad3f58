#include "upcasters/lua/block_pool.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>

namespace cairn {

BlockPool::~BlockPool() {
  for (Chunk*& first : with_room_) {
    while (first != nullptr) {
      Chunk* const next = first->next;
      std::free(first);
      first = next;
    }
  }
  while (empty_ != nullptr) {
    Chunk* const next = empty_->next;
    std::free(empty_);
    empty_ = next;
  }
}

void* BlockPool::resize(void* block, std::size_t old_bytes, std::size_t new_bytes) {
  if (block == nullptr) return new_bytes <= kSmallMax ? take(new_bytes) : std::malloc(new_bytes);
  if (old_bytes > kSmallMax && new_bytes > kSmallMax) return std::realloc(block, new_bytes);
  if (old_bytes <= kSmallMax && new_bytes <= kSmallMax && class_of(old_bytes) == class_of(new_bytes))
    return block;
  void* const other = new_bytes <= kSmallMax ? take(new_bytes) : std::malloc(new_bytes);
  if (other == nullptr) return nullptr;
  std::memcpy(other, block, std::min(old_bytes, new_bytes));
  free(block, old_bytes);
  return other;
}

void BlockPool::free(void* block, std::size_t bytes) {
  if (block == nullptr) return;
  if (bytes > kSmallMax) return std::free(block);
  give_back(block, bytes);
}

void* BlockPool::take(std::size_t bytes) {
  const std::size_t size_class = class_of(bytes);
  Chunk* chunk = with_room_[size_class];
  if (chunk == nullptr) [[unlikely]] {
    chunk = new_chunk(size_class);
    if (chunk == nullptr) return nullptr;
  }
  ++chunk->used;
  void* block = chunk->free;
  if (block != nullptr) {
    chunk->free = chunk->free->next;
  } else {
    block = chunk->fresh;
    chunk->fresh += chunk->block_bytes;
  }
  if (chunk->free == nullptr && !has_fresh(*chunk)) unlist(*chunk, size_class);
  return block;
}

void BlockPool::give_back(void* block, std::size_t bytes) {
  const std::size_t size_class = class_of(bytes);
  Chunk& chunk = *chunk_of(block);
  auto* const free = static_cast<FreeBlock*>(block);
  free->next = chunk.free;
  chunk.free = free;
  if (!chunk.listed) list(chunk, size_class);
  if (--chunk.used > 0) return;
  // The last chunk with room is kept: the next allocation would need it again.
  if (chunk.next == nullptr && chunk.previous == nullptr) return;
  unlist(chunk, size_class);
  if (empty_count_ == kEmptyKept) {
    chunk_bytes_ -= kChunkBytes;
    return std::free(&chunk);
  }
  chunk.next = empty_;
  empty_ = &chunk;
  ++empty_count_;
}

BlockPool::Chunk* BlockPool::new_chunk(std::size_t size_class) {
  Chunk* chunk = empty_;
  if (chunk != nullptr) {
    empty_ = chunk->next;
    --empty_count_;
  } else {
    if (chunk_bytes_ + kChunkBytes > chunk_bytes_max_) return nullptr;
    chunk = static_cast<Chunk*>(std::aligned_alloc(kChunkBytes, kChunkBytes));
    if (chunk == nullptr) return nullptr;
    chunk_bytes_ += kChunkBytes;
  }
  *chunk = {};
  chunk->block_bytes = static_cast<std::uint32_t>((size_class + 1) * kStep);
  chunk->fresh = reinterpret_cast<char*>(chunk) + sizeof(Chunk);
  list(*chunk, size_class);
  return chunk;
}

void BlockPool::list(Chunk& chunk, std::size_t size_class) {
  Chunk*& first = with_room_[size_class];
  chunk.next = first;
  chunk.previous = nullptr;
  if (first != nullptr) first->previous = &chunk;
  first = &chunk;
  chunk.listed = true;
}

void BlockPool::unlist(Chunk& chunk, std::size_t size_class) {
  if (chunk.previous != nullptr) chunk.previous->next = chunk.next;
  if (chunk.next != nullptr) chunk.next->previous = chunk.previous;
  if (with_room_[size_class] == &chunk) with_room_[size_class] = chunk.next;
  chunk.next = chunk.previous = nullptr;
  chunk.listed = false;
}

}  // namespace cairn
