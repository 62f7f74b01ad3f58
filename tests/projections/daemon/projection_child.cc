// A store with writers and a projection that is rebuilt, redeployed and rolled back in a loop, for a parent
// that kills the process.
//
//   projection_child FOLDER SEED [POINT TIMES [wait]]
//
// With a point it kills itself when its worker comes there for the TIMES-th time, or with `wait` says
// "reached" and stays there. Each line of output is something that was done. Ends only by being killed, after
// a failure, or after a minute.

#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <random>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <unistd.h>

#include "projections/engine/engine.h"
#include "tests/projections/daemon/killed_projection.h"
#include "tests/support/events.h"
#include "tests/support/small_store.h"

namespace {

using namespace cairn;
using namespace cairn::test;

void say(std::string line) {
  line += '\n';
  if (::write(STDOUT_FILENO, line.data(), line.size()) < 0) std::_Exit(3);
}

[[noreturn]] void fail(const std::string& what, const Error& error) {
  say("failed: " + what + ": " + error.message);
  std::_Exit(1);
}

void write_on(EventStore& store, ProjectionDaemon& daemon, unsigned seed) {
  std::minstd_rand random(seed);
  while (true) {
    std::vector<NewEvent> events;
    for (auto i = random() % 20; i < 20; ++i) {
      events.push_back(event("Added", R"({"customer":"c)" + std::to_string(random() % 50) + R"(","cents":)" +
                                          std::to_string(random() % 100) + "}"));
    }
    const std::string stream = "order-" + std::to_string(random() % 10);
    const auto appended = store.append(request({to(stream, ExpectedVersion::any(), std::move(events))}));
    if (!appended) return;
    say("appended " + std::to_string(appended->streams.at(0).last_position.value));
    // Rebuilds shall end although the log grows.
    const auto now = daemon.status(kKilledProjection);
    if (now && now->rebuild && now->rebuild->target.value > now->rebuild->position.value + 500) {
      store.wait_for({now->head.value + 1'000'000}, std::chrono::milliseconds(5));
    }
  }
}

// Commands that the present state refuses are ignored.
void command(ProjectionDaemon& daemon, std::uint64_t choice) {
  const std::string name = kKilledProjection;
  switch (choice % 4) {
    case 0:
      if (daemon.rebuild(name, std::nullopt)) say("rebuild");
      return;
    case 1:
      if (daemon.rollback(name)) say("rollback");
      return;
    case 2:
      if (daemon.cancel(name)) say("cancel");
      return;
    default:
      (void)daemon.deploy({name, killed_source(choice / 4 % kKilledVariants), "killed.lua"});
      say("deploy");
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3 && argc != 5 && argc != 6) return 2;
  ::alarm(60);
  const auto seed = static_cast<unsigned>(std::strtoul(argv[2], nullptr, 10));
  const std::string point = argc >= 5 ? argv[3] : "";
  std::atomic<int> left{argc >= 5 ? std::atoi(argv[4]) : 0};
  const bool waits = argc == 6;

  EngineOptions options;
  options.store = small_store();
  options.states.automatic = AggregateStatesOptions::Automatic::kNo;
  options.daemon.threads = 2;
  options.daemon.batch_positions_max = 97;
  options.daemon.commit_events_max = 300;
  options.daemon.at_point = [&](std::string_view where) {
    if (where != point || --left != 0) return;
    if (!waits) ::raise(SIGKILL);
    say("reached");
    while (true) ::pause();
  };
  auto engine = Engine::open(argv[1], std::move(options));
  if (!engine) fail("open", engine.error());
  EventStore& store = (*engine)->store();
  ProjectionDaemon& daemon = *(*engine)->daemon();
  if (!daemon.status(kKilledProjection)) {
    (void)daemon.deploy({kKilledProjection, killed_source(0), "killed.lua"});
  }
  if (const Status started = (*engine)->start(); !started.ok()) fail("start", started.error());
  say("started");
  std::thread writer([&] { write_on(store, daemon, seed); });
  std::minstd_rand random(seed + 1);
  while (true) {
    const std::uint64_t until = store.head().value + random() % 600;
    store.wait_for({until}, std::chrono::seconds(10));
    command(daemon, random());
    // Mostly what was begun may come to its end, and sometimes not.
    while (random() % 40 != 0 && daemon.status(kKilledProjection)->rebuild) {
      store.wait_for({store.head().value + 20}, std::chrono::seconds(1));
    }
  }
}
