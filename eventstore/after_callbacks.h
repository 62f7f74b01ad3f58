#pragma once

#include <functional>

namespace cairn {

// Defers a wake-up until all callbacks of a commit have run. For the callbacks of
// EventStore::append_async(), which run one after the other on one thread: a client thread that the first of
// them wakes finds one answer where a moment later there are many. So a callback stores its answer and
// passes the waking to this function.
//
// Calls `then` after the last callback that this thread has to run now; at once on a thread that runs none,
// as for a request that is refused in append_async() itself. `then` must not block.
void after_callbacks(std::function<void()> then);

}  // namespace cairn
