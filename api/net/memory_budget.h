#pragma once

#include <atomic>
#include <cstddef>

namespace cairn::api {

// A bound on memory that all connections share. Thread-safe.
class MemoryBudget {
 public:
  explicit MemoryBudget(std::size_t bytes_max) : bytes_max_(bytes_max) {}

  // The part of the budget that one connection holds; its destructor gives it back. Not thread-safe.
  class Reservation {
   public:
    explicit Reservation(MemoryBudget& budget) : budget_(budget) {}
    ~Reservation() { release(); }
    Reservation(const Reservation&) = delete;
    Reservation& operator=(const Reservation&) = delete;

    // Reserves `bytes` in all, unless more is reserved already. False when the budget is exhausted; the
    // reservation is then unchanged.
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
