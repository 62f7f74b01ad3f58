// Builds read models beside the process that owns the store.
//
//   building_child FOLDER
//
// Prints "building" once it runs, and then the daemon's notices and events. A line "pause NAME" on its input
// pauses a projection, "rollback NAME" rolls it back; the answer is "done" or the error. The end of the input
// ends the process.

#include <cstdlib>
#include <iostream>
#include <mutex>
#include <sstream>
#include <string>
#include <string_view>

#include <unistd.h>

#include "projections/engine/follower_engine.h"

namespace {

using namespace cairn;

void say(std::string_view line) {
  static std::mutex mutex;
  const std::lock_guard lock(mutex);
  std::cout << line << std::endl;
}

[[noreturn]] void fail(const std::string& what, const Error& error) {
  say("failed: " + what + ": " + error.message);
  std::_Exit(1);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  ::alarm(120);
  FollowerEngineOptions options;
  options.daemon.threads = 2;
  options.daemon.publish_position_every = std::chrono::milliseconds(20);
  options.daemon.on_log = [](const LogEvent& event) { say(event.message); };
  auto engine = FollowerEngine::open(argv[1], std::move(options));
  if (!engine) fail("open", engine.error());
  ProjectionDaemon& daemon = (*engine)->daemon();
  if (const Status started = (*engine)->start(); !started.ok()) fail("start", started.error());
  say("building");
  for (std::string line; std::getline(std::cin, line);) {
    std::istringstream words(line);
    std::string what, name;
    words >> what >> name;
    const auto outcome = what == "pause" ? daemon.pause(name) : daemon.rollback(name);
    say(outcome ? "done" : outcome.error().message);
  }
}
