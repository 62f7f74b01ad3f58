// Builds read models beside the process that has the store.
//
//   building_child FOLDER
//
// Says "building" when it does, and then what an operator would be told. A line "pause NAME" on its input
// pauses a projection, "rollback NAME" rolls it back, each answered with "done" or why not; the end of the
// input ends it.

#include <cstdlib>
#include <iostream>
#include <mutex>
#include <sstream>
#include <string>
#include <string_view>

#include <unistd.h>

#include "projections/daemon/projection_daemon.h"
#include "schemaregistry/registry/schema_registry.h"

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
  auto store = EventStore::open_beside(argv[1]);
  if (!store) fail("store", store.error());
  auto registry = SchemaRegistry::open(**store);
  if (!registry) fail("registry", registry.error());
  auto shapes = EventShapes::open_reader(**store, **registry);
  if (!shapes) fail("shapes", shapes.error());
  DaemonOptions options;
  options.threads = 2;
  options.catch_up_shapes = [&] { return (*shapes)->catch_up(); };
  options.publish_position_every = std::chrono::milliseconds(20);
  options.on_notice = [](std::string_view message) { say(message); };
  options.on_event = options.on_notice;
  auto daemon = ProjectionDaemon::open(**store, **shapes, argv[1], std::move(options));
  if (!daemon) fail("daemon", daemon.error());
  (*daemon)->start();
  say("building");
  for (std::string line; std::getline(std::cin, line);) {
    std::istringstream words(line);
    std::string what, name;
    words >> what >> name;
    const auto outcome = what == "pause" ? (*daemon)->pause(name) : (*daemon)->rollback(name);
    say(outcome ? "done" : outcome.error().message);
  }
  (*daemon)->stop();
}
