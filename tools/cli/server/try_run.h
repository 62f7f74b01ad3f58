#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "tools/cli/server/script_file.h"
#include "tools/cli/server/server_options.h"
#include "upcasters/lua/script_error.h"
#include "upcasters/trial/trial_events.h"

namespace CLI {
class App;
}

namespace cairn::cli {

// The arguments of the commands that try a script.
struct TryArguments {
  ServerOptions server;
  std::string file;
  std::string events;      // a file of events, or "" for those of the server
  std::uint64_t last = 0;  // 0: not given
  std::string stream;      // of an aggregate
  bool offline = false;
};

// What distinguishes the kinds of scripts.
struct TryKind {
  const char* path;            // "/projections/try"
  const char* rows;            // the heading of the keys of rows: "KEY"
  const char* default_stream;  // of events that name none; "" when each has to
  // Runs the script here. Returns the report as the server does.
  std::function<ScriptResult<std::string>(const ScriptFile& script, const TrialEvents& events)> offline;
};

// Adds the script, --events, --last and --offline, with `with_stream` --stream, and the options of the server.
// REQUIRES: `arguments` outlives the parsing.
void add_try_options(CLI::App& command, TryArguments& arguments, bool with_stream);

// Tries the script on the server, or here with --offline, and prints the report. Returns kExitNo when the script
// fails on an event, cannot be loaded, or was not tried on all events.
int run_try(const TryArguments& arguments, const TryKind& kind);

// The warnings of an answer on stderr, a line each. Returns how many there are.
std::size_t print_warnings(const std::string& answer);

}  // namespace cairn::cli
