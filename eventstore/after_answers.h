#pragma once

#include <functional>

namespace cairn {

// For the callbacks of EventStore::append_async(). What a commit makes durable is answered at once, one
// callback after the other, and a thread that is woken by the first answer finds one where a moment later
// there would have been many. So a callback notes its answer and lets `then` do the waking.
//
// Calls `then`, which must not block, after the last callback that this thread has to call now; at once in a
// thread that is not calling any.
void after_answers(std::function<void()> then);

}  // namespace cairn
