#include "api/http/server_log.h"

#include <utility>

#include "eventstore/base/log_throttle.h"
#include "eventstore/base/mutex.h"

namespace cairn::api {

namespace {

struct ProcessLog {
  Mutex mutex;
  LogSink sink CAIRN_GUARDED_BY(mutex);
  KeyedLogThrottle throttle CAIRN_GUARDED_BY(mutex){256};  // by code: there are fewer
};

// Never destroyed: threads may still log while the process ends.
ProcessLog& process_log() {
  static auto* const kLog = new ProcessLog;
  return *kLog;
}

}  // namespace

void set_server_log(LogSink sink) {
  ProcessLog& log = process_log();
  const MutexLock lock(log.mutex);
  log.sink = std::move(sink);
}

void server_log(LogEvent event) {
  ProcessLog& log = process_log();
  const MutexLock lock(log.mutex);
  const auto suppressed = log.throttle.take(event.code, system_time());
  if (!suppressed) return;
  add_suppressed(event, *suppressed);
  log_to(log.sink, event);
}

void write_server_log(const LogEvent& event) {
  ProcessLog& log = process_log();
  const MutexLock lock(log.mutex);
  log_to(log.sink, event);
}

}  // namespace cairn::api
