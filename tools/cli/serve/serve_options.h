#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "api/server/routes.h"
#include "eventstore/base/result.h"
#include "projections/engine/engine.h"
#include "tools/cli/serve/reloader.h"
#include "tools/cli/serve/server_logs.h"

namespace CLI {
class App;
}

namespace cairn::cli {

// The options of `cairn serve`.
struct ServeArguments {
  std::string config;
  std::string data = "./cairn-data";
  std::string listen = "127.0.0.1:7878";
  LogOptions log;
  std::string access_log;  // empty: none
  std::string dedup_days = "7";
  api::SchemaPolicy schemas = api::SchemaPolicy::kRequired;
  ReadModelMode projections = ReadModelMode::kBuild;
  std::size_t projections_max = DaemonOptions{}.projections_max;
  AccessFiles access;
  std::vector<std::string> cors_origins;
  std::uint32_t request_cpu_ms = 2'000;
  std::uint32_t compatibility_cpu_ms = 10'000;
};

// Adds them, with --config. REQUIRES: `arguments` outlives the parsing.
void add_serve_options(CLI::App& command, ServeArguments& arguments);

// As in StoreOptions: nullopt = for ever.
using DedupDays = std::optional<std::uint32_t>;

// The value of --dedup-days.
Result<DedupDays> parse_dedup_days(const std::string& text);

}  // namespace cairn::cli
