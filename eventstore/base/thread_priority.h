#pragma once

#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdint>

namespace cairn {

// Sets the niceness of the calling thread to that of the process plus `by`. Above 0 is a lower priority;
// below 0 is a higher one, which needs a privilege and is ignored without it. A new thread inherits the
// niceness of its creator.
inline void set_thread_niceness(int by) {
  const int process = getpriority(PRIO_PROCESS, static_cast<id_t>(getpid()));
  static_cast<void>(
      setpriority(PRIO_PROCESS, static_cast<id_t>(gettid()), std::clamp(process + by, -20, 19)));
}

// Of threads that do short work which others wait for.
constexpr std::chrono::microseconds kShortSlice{100};

// Asks the scheduler for a short time slice for the calling thread. Its share of the processors stays the same,
// but when it wakes up it goes before threads with the usual slice (3 ms) instead of waiting for the end of
// theirs. For threads that do short work which others wait for. Needs no privilege; Linux before 6.12 ignores it.
inline void set_thread_slice(std::chrono::nanoseconds slice) {
  struct Attributes {  // struct sched_attr, which glibc 2.36 does not declare
    std::uint32_t size = 48;
    std::uint32_t policy = 0;
    std::uint64_t flags = 0x08;  // SCHED_FLAG_KEEP_POLICY
    std::int32_t nice = 0;
    std::uint32_t priority = 0;
    std::uint64_t runtime = 0;
    std::uint64_t deadline = 0;
    std::uint64_t period = 0;
  };
  Attributes attributes;
  attributes.nice = getpriority(PRIO_PROCESS, static_cast<id_t>(gettid()));
  attributes.runtime = static_cast<std::uint64_t>(slice.count());
  static_cast<void>(syscall(SYS_sched_setattr, 0, &attributes, 0));
}

}  // namespace cairn
