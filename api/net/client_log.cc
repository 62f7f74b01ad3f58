#include "api/net/client_log.h"

#include <fmt/format.h>

#include <utility>

#include "api/http/access_record.h"
#include "api/http/server_log.h"

namespace cairn::api {

void ClientLog::refused(std::string_view method, std::string_view path, const std::string& remote,
                        const Problem& problem) {
  std::optional<std::uint64_t> suppressed;
  {
    const MutexLock lock(mutex_);
    suppressed = refusals_.take(fmt::format("{} {}", problem.status(), remote), system_time());
  }
  if (!suppressed) return;
  path = path.substr(0, kLoggedTargetBytesMax);
  LogEvent event(LogLevel::kWarning, "request-refused",
                 fmt::format("Refused {} {} from {}: {} {}: {}", method, path, remote, problem.status(),
                             problem.slug(), problem.detail()));
  event.add("remote", remote);
  event.add("status", problem.status());
  event.add("problem", problem.slug());
  event.add("error", problem.detail());
  event.add("method", method);
  event.add("path", path);
  add_suppressed(event, *suppressed);
  write_server_log(event);
}

void ClientLog::stream_closed(const std::string& remote, std::chrono::milliseconds blocked) {
  std::optional<std::uint64_t> suppressed;
  {
    const MutexLock lock(mutex_);
    suppressed = streams_.take(remote, system_time());
  }
  if (!suppressed) return;
  LogEvent event(LogLevel::kWarning, "stream-closed",
                 fmt::format("Closed a stream to {} that was blocked for {} ms, to serve another client",
                             remote, blocked.count()));
  event.add("remote", remote);
  event.add("durationMs", blocked.count());
  add_suppressed(event, *suppressed);
  write_server_log(event);
}

}  // namespace cairn::api
