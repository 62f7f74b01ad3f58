// Makes snapshots of all orders of a store, for a parent that kills it.
//
//   snapshot_all_child FOLDER
//
// Says "at N" as it goes on, and at its end "made N fresh N failed N", or "failed: …". It does not end before
// its input has, so that whoever wants to kill it cannot come too late.

#include <cstdio>
#include <string>

#include <unistd.h>

#include "projections/aggregates/aggregate_states.h"
#include "tests/support/small_store.h"

namespace {

using namespace cairn;

void say(const std::string& line) {
  std::printf("%s\n", line.c_str());
  std::fflush(stdout);
}

int fail(const Error& error) {
  say("failed: " + error.message);
  return 1;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  ::alarm(60);
  auto store = EventStore::open(argv[1], test::small_store());
  if (!store) return fail(store.error());
  auto registry = SchemaRegistry::open(**store);
  if (!registry) return fail(registry.error());
  auto shapes = EventShapes::open(**store, **registry);
  if (!shapes) return fail(shapes.error());
  auto states = AggregateStates::open(**store, **shapes, {AggregateStatesOptions::Automatic::kNo, {}});
  if (!states) return fail(states.error());
  SnapshotAllOptions options;
  options.batch_snapshots = 50;
  options.progress = [](const SnapshotProgress& progress) { say("at " + std::to_string(progress.done)); };
  const auto report = (*states)->snapshot_all("order", options);
  if (!report) return fail(report.error());
  while (std::getchar() != EOF) {
  }
  say("made " + std::to_string(report->made) + " fresh " + std::to_string(report->fresh) + " failed " +
      std::to_string(report->failed));
  return 0;
}
