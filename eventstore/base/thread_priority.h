#pragma once

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>

namespace cairn {

// Gives the calling thread another priority than its process has: `by` above 0 lets others go first, below 0
// goes before them, which the system only allows to some. A thread starts with the priority of the one that
// starts it.
inline void set_thread_niceness(int by) {
  const int process = getpriority(PRIO_PROCESS, static_cast<id_t>(getpid()));
  static_cast<void>(
      setpriority(PRIO_PROCESS, static_cast<id_t>(gettid()), std::clamp(process + by, -20, 19)));
}

}  // namespace cairn
