#pragma once

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>

namespace cairn {

// Sets the niceness of the calling thread to that of the process plus `by`. Above 0 is a lower priority;
// below 0 is a higher one, which needs a privilege and is ignored without it. A new thread inherits the
// niceness of its creator.
inline void set_thread_niceness(int by) {
  const int process = getpriority(PRIO_PROCESS, static_cast<id_t>(getpid()));
  static_cast<void>(
      setpriority(PRIO_PROCESS, static_cast<id_t>(gettid()), std::clamp(process + by, -20, 19)));
}

}  // namespace cairn
