// A projection whose parked keys are retried while events are appended, for a parent that kills the process.
//
//   redrive_child FOLDER POINT TIMES
//
// Parks keys, fixes the script, and kills itself when the redrive comes to the point for the TIMES-th time; with
// the point "none" it says "tried N" and goes on. Ends only by being killed, after a failure, or after a minute.

#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <unistd.h>

#include "projections/engine/engine.h"
#include "tests/projections/daemon/redriven_projection.h"
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

void append(EventStore& store, const std::string& customer, std::size_t count, std::int64_t cents) {
  std::vector<NewEvent> events;
  for (; count > 0; --count) {
    events.push_back(
        event("Added", R"({"customer":")" + customer + R"(","cents":)" + std::to_string(cents) + "}"));
  }
  const auto appended =
      store.append(request({to("order-" + customer, ExpectedVersion::any(), std::move(events))}));
  if (!appended) fail("append", appended.error());
}

void wait_for_rows(EventStore& store, ProjectionDaemon& daemon) {
  while (daemon.status(kRedriven)->position < store.head()) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) return 2;
  ::alarm(60);
  const std::string point = argv[2];
  std::atomic<int> left{std::atoi(argv[3])};
  EngineOptions options;
  options.store = small_store();
  options.states.automatic = AggregateStatesOptions::Automatic::kNo;
  options.daemon.threads = 2;
  options.daemon.at_point = [&](std::string_view where) {
    if (where == point && --left == 0) ::raise(SIGKILL);
  };
  auto engine = Engine::open(argv[1], std::move(options));
  if (!engine) fail("open", engine.error());
  EventStore& store = (*engine)->store();
  ProjectionDaemon& daemon = *(*engine)->daemon();
  if (auto deployed = daemon.deploy({kRedriven, redriven_source(false), "redriven.lua"}); !deployed) return 4;
  if (const Status started = (*engine)->start(); !started.ok()) fail("start", started.error());
  for (std::size_t key = 0; key < kRedrivenKeys; ++key) {
    const std::string name = "c" + std::to_string(key);
    append(store, name, 1, -1);
    append(store, name, (key == 30 ? kRedrivenLongEvents : kRedrivenEvents) - 1, 1);
  }
  wait_for_rows(store, daemon);
  if (auto deployed = daemon.deploy({kRedriven, redriven_source(true), "fixed.lua", true}); !deployed)
    return 4;
  wait_for_rows(store, daemon);
  const auto begun = daemon.start_redrive(kRedriven, {});
  if (!begun) fail("redrive", begun.error());
  say("begun");
  for (std::size_t i = 0;; ++i) {
    append(store, "live", 1, 1);
    append(store, "c" + std::to_string(i % kRedrivenKeys), 1, 1);
    say("tried " + std::to_string(daemon.redrive(kRedriven)->tried));
  }
}
