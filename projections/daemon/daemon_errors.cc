#include "projections/daemon/daemon_errors.h"

namespace cairn {

Error no_projection(const std::string& name) {
  return make_error(Errc::kNotFound, "there is no projection '" + name + "'");
}

Error projection_exists(const std::string& name) {
  return make_error(Errc::kFailedPrecondition, "there is a projection '" + name + "' already");
}

Error native_projection(const std::string& name) {
  return make_error(Errc::kFailedPrecondition, "'" + name + "' is a native projection of this program");
}

Error rows_being_built(const std::string& name) {
  return make_error(Errc::kFailedPrecondition, "the rows of '" + name + "' are being built");
}

Error built_by_another_process() {
  return make_error(Errc::kFailedPrecondition,
                    "this server answers from read models that `cairn project` builds, and cannot do that "
                    "itself: stop `cairn project` and start the server with --projections on");
}

void log_unread_definitions(const LogSink& sink, const Error& error, LogThrottle& throttle, Timestamp now) {
  const auto suppressed = throttle.take(now);
  if (!suppressed) return;
  LogEvent event(LogLevel::kWarning, "definitions-unreadable",
                 "The definitions of projections cannot be read: " + error.message);
  event.add("error", error.message);
  add_suppressed(event, *suppressed);
  log_to(sink, event);
}

}  // namespace cairn
