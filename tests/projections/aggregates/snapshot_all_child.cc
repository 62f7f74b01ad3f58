// Makes snapshots of all orders of a store, for a parent that kills it.
//
//   snapshot_all_child FOLDER
//
// Prints "at N" as its progress, and at the end "made N fresh N failed N" or "failed: …". It exits only when
// its input ends, so that the parent can still kill it.

#include <cstdio>
#include <string>

#include <unistd.h>

#include "projections/engine/engine.h"
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
  EngineOptions engine_options;
  engine_options.store = test::small_store();
  engine_options.states.automatic = AggregateStatesOptions::Automatic::kNo;
  engine_options.read_models = ReadModelMode::kOff;
  auto engine = Engine::open(argv[1], std::move(engine_options));
  if (!engine) return fail(engine.error());
  SnapshotAllOptions options;
  options.batch_snapshots = 50;
  options.progress = [](const SnapshotProgress& progress) { say("at " + std::to_string(progress.done)); };
  const auto report = (*engine)->states().snapshot_all("order", options);
  if (!report) return fail(report.error());
  while (std::getchar() != EOF) {
  }
  say("made " + std::to_string(report->made) + " fresh " + std::to_string(report->fresh) + " failed " +
      std::to_string(report->failed));
  return 0;
}
