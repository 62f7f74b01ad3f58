#pragma once

#include <atomic>
#include <cstddef>

namespace cairn::api {

// An amount of memory that many connections share. Any thread.
class MemoryBudget {
 public:
  explicit MemoryBudget(std::size_t bytes_max) : bytes_max_(bytes_max) {}

  // What one connection holds of the budget; given back at the end.
  class Share {
   public:
    explicit Share(MemoryBudget& budget) : budget_(budget) {}
    ~Share() { release(); }
    Share(const Share&) = delete;
    Share& operator=(const Share&) = delete;

    // Makes this share `bytes` large. False when the budget does not allow it; the share stays as it was.
    bool grow_to(std::size_t bytes) {
      if (bytes <= bytes_) return true;
      const std::size_t more = bytes - bytes_;
      if (budget_.used_.fetch_add(more, std::memory_order_relaxed) + more > budget_.bytes_max_) {
        budget_.used_.fetch_sub(more, std::memory_order_relaxed);
        return false;
      }
      bytes_ = bytes;
      return true;
    }

    void release() {
      budget_.used_.fetch_sub(bytes_, std::memory_order_relaxed);
      bytes_ = 0;
    }

   private:
    MemoryBudget& budget_;
    std::size_t bytes_ = 0;
  };

 private:
  const std::size_t bytes_max_;
  std::atomic<std::size_t> used_{0};
};

}  // namespace cairn::api
