#include "eventstore/base/background_thread.h"

#include <pthread.h>

#include <cstring>
#include <utility>

#include "eventstore/base/assert.h"
#include "eventstore/base/thread_priority.h"

namespace cairn {

void name_this_thread(const char* name) {
  CAIRN_ASSERT(std::strlen(name) <= 15, name);
  static_cast<void>(pthread_setname_np(pthread_self(), name));
}

void BackgroundThread::start(Settings settings, std::function<void(const std::stop_token& stop)> body) {
  CAIRN_ASSERT(!runs(), settings.name);
  wake_ = std::move(settings.wake);
  thread_ = std::jthread([name = settings.name, niceness = settings.niceness, slice = settings.slice,
                          body = std::move(body)](const std::stop_token& stop) {
    name_this_thread(name);
    set_thread_niceness(niceness);
    if (slice.count() > 0) set_thread_slice(slice);
    body(stop);
  });
}

void BackgroundThread::stop() {
  if (!runs()) return;
  CAIRN_ASSERT(thread_.get_id() != std::this_thread::get_id());  // it would join itself
  thread_.request_stop();
  if (wake_) wake_();
  thread_.join();
}

}  // namespace cairn
