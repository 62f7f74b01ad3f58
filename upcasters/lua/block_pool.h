#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace cairn {

// A size-class allocator for one Lua state. Lua allocates and frees small blocks constantly, and passes their
// size both times. Blocks of about the same size share chunks, and a freed block is reused first, which costs
// a few instructions and stays in the CPU cache. Larger blocks come from malloc. Not thread-safe.
class BlockPool {
 public:
  // `chunk_bytes_max` bounds the memory of all chunks; beyond it resize() fails. Without the bound, a few
  // live blocks in each of many chunks (fragmentation) could hold more memory than was ever requested.
  explicit BlockPool(std::size_t chunk_bytes_max) : chunk_bytes_max_(chunk_bytes_max) {}
  ~BlockPool();  // REQUIRES: all blocks are freed.
  BlockPool(const BlockPool&) = delete;
  BlockPool& operator=(const BlockPool&) = delete;

  // Resizes a block and keeps its content, as realloc does; makes a new one from nullptr and 0. Returns
  // nullptr, and leaves the block as it is, when there is no room. REQUIRES: new_bytes > 0; old_bytes is its
  // current size.
  void* resize(void* block, std::size_t old_bytes, std::size_t new_bytes);

  void free(void* block, std::size_t bytes);  // nothing for nullptr

  std::size_t chunk_bytes() const { return chunk_bytes_; }

 private:
  static constexpr std::size_t kChunkBytes = 64u << 10;
  static constexpr std::size_t kStep = 16;  // what malloc aligns to
  static constexpr std::size_t kSmallMax = 512;
  static constexpr std::size_t kClasses = kSmallMax / kStep;
  static constexpr std::size_t kEmptyKept = 8;

  struct FreeBlock {
    FreeBlock* next;
  };
  struct alignas(kStep) Chunk {
    Chunk* next;  // in its list
    Chunk* previous;
    FreeBlock* free;
    char* fresh;  // the memory behind it was never used
    std::uint32_t block_bytes;
    std::uint32_t used;  // blocks
    bool listed;         // it has room, and is in the list of its size class
  };

  static std::size_t class_of(std::size_t bytes) { return (bytes - 1) / kStep; }
  static Chunk* chunk_of(void* block) {
    return reinterpret_cast<Chunk*>(reinterpret_cast<std::uintptr_t>(block) & ~(kChunkBytes - 1));
  }
  static bool has_fresh(const Chunk& chunk) {
    return chunk.fresh + chunk.block_bytes <= reinterpret_cast<const char*>(&chunk) + kChunkBytes;
  }

  void* take(std::size_t bytes);
  void give_back(void* block, std::size_t bytes);
  Chunk* new_chunk(std::size_t size_class);
  void list(Chunk& chunk, std::size_t size_class);
  void unlist(Chunk& chunk, std::size_t size_class);

  const std::size_t chunk_bytes_max_;
  std::size_t chunk_bytes_ = 0;
  std::array<Chunk*, kClasses> with_room_{};
  Chunk* empty_ = nullptr;
  std::size_t empty_count_ = 0;
};

}  // namespace cairn
