#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace cairn {

// The memory of one Lua state. Lua makes and drops small blocks all the time, and says their size both times:
// blocks of about the same size share chunks, so that one that comes back is the next to go out, which costs
// a few instructions and stays in the processor's cache. Larger blocks are malloc's. Belongs to one thread.
class BlockPool {
 public:
  // Chunks take at most so much of the system; beyond it resize() finds no room. Blocks that are left over
  // in many chunks could otherwise hold more than was ever asked for.
  explicit BlockPool(std::size_t chunk_bytes_max) : chunk_bytes_max_(chunk_bytes_max) {}
  ~BlockPool();  // REQUIRES: all blocks have come back.
  BlockPool(const BlockPool&) = delete;
  BlockPool& operator=(const BlockPool&) = delete;

  // Makes a block larger or smaller, keeping what is in it; a new one from nullptr and 0. nullptr, and the
  // block as it was, when there is no room. REQUIRES: new_bytes > 0; old_bytes is what it was last given.
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
    char* fresh;  // what lies behind was never given out
    std::uint32_t block_bytes;
    std::uint32_t used;  // blocks
    bool listed;         // has room, and is in the list of its class
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
