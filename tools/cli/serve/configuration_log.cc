#include "tools/cli/serve/configuration_log.h"

#include "tools/cli/config/configuration.h"

namespace cairn::cli {

void log_configuration(CLI::App& app, const std::string& file, const LogSink& log) {
  if (!file.empty()) {
    log_to(log, LogEvent(LogLevel::kInfo, "configuration-read", "Configuration read from " + file)
                    .with("file", file));
  }
  for (const std::string& warning : unknown_variables(app))
    log_to(log, LogEvent(LogLevel::kWarning, "variable-unknown", warning));
}

}  // namespace cairn::cli
