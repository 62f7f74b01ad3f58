#pragma once

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>

namespace cairn {

// Sleeps while `word` is `seen`; may return early. std::atomic::wait() yields the processor several times
// first, which with many sleepers and few cores costs more than all the rest.
inline void futex_wait(const std::atomic<std::uint32_t>& word, std::uint32_t seen) {
  static_assert(sizeof word == sizeof(std::uint32_t) && std::atomic<std::uint32_t>::is_always_lock_free);
  syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, seen, nullptr, nullptr, 0);
}

// Wakes up to `count` of those who sleep on `word`, the longest sleepers first. Change the word first.
inline void futex_wake(const std::atomic<std::uint32_t>& word, int count) {
  syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, count, nullptr, nullptr, 0);
}

}  // namespace cairn
