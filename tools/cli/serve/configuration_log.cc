#include "tools/cli/serve/configuration_log.h"

#include <spdlog/spdlog.h>

#include "tools/cli/config/configuration.h"

namespace cairn::cli {

void log_configuration(CLI::App& app, const std::string& file) {
  if (!file.empty()) spdlog::info("Configuration read from {}", file);
  for (const std::string& warning : unknown_variables(app)) spdlog::warn("{}", warning);
}

}  // namespace cairn::cli
