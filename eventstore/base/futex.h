#pragma once

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>

namespace cairn {

// Blocks while `word` is `seen`; may wake spuriously. Used in place of std::atomic::wait(), which spins and
// yields several times first: with many waiters and few cores that costs more than the system call.
inline void futex_wait(const std::atomic<std::uint32_t>& word, std::uint32_t seen) {
  static_assert(sizeof word == sizeof(std::uint32_t) && std::atomic<std::uint32_t>::is_always_lock_free);
  syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, seen, nullptr, nullptr, 0);
}

// Wakes up to `count` threads blocked on `word`, in the order in which they blocked. REQUIRES: `word` was
// changed before.
inline void futex_wake(const std::atomic<std::uint32_t>& word, int count) {
  syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, count, nullptr, nullptr, 0);
}

}  // namespace cairn
