// Eight writer threads on one store, for a parent process that kills them.
//
//   append_child FOLDER CYCLE
//
// Writes one line before each append, with what it sends, and one after it, with the answer; each line with
// one write(2). Ends when it is killed, or after a minute.

#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

#include <unistd.h>

#include "eventstore/event_store.h"
#include "tests/support/crash_plan.h"
#include "tests/support/small_store.h"

namespace {

using namespace cairn;
using namespace cairn::test;

void say(std::string line) {
  line += '\n';
  if (::write(STDOUT_FILENO, line.data(), line.size()) < 0) std::_Exit(3);
}

std::uint64_t version_of(EventStore& store, const std::string& stream) {
  auto info = store.stream_info(stream);
  return info.ok() && *info ? (*info)->version.value : 0;
}

void write_on(EventStore& store, std::uint32_t cycle, std::uint32_t writer) {
  CrashOp op{cycle, writer, 0, version_of(store, "own-" + std::to_string(writer)),
             version_of(store, "hot-1")};
  for (; op.number < 900'000; ++op.number) {
    say(op.intent());
    auto result = store.append(op.request());
    say(answer_line(op, result));
    if (result.ok()) {
      const StreamAppendResult& first = result->streams.at(0);
      if (first.stream == "hot-1") op.hot_version = first.last_version.value;
      if (first.stream.starts_with("own-")) op.own_version = first.last_version.value;
    } else if (result.error().code == Errc::kVersionConflict) {
      op.hot_version = result.error().version.value_or(0);
    } else {
      return;
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  ::alarm(60);
  StoreOptions options = small_store();
  options.tail_events_flush = 300;  // so that some kills hit a flush
  auto store = EventStore::open(argv[1], options);
  if (!store.ok()) {
    say("F 0 0 0 open " + store.error().message);
    return 1;
  }
  const auto cycle = static_cast<std::uint32_t>(std::strtoul(argv[2], nullptr, 10));
  std::vector<std::thread> writers;
  for (std::uint32_t writer = 0; writer < kCrashWriters; ++writer) {
    writers.emplace_back([&, writer] { write_on(**store, cycle, writer); });
  }
  for (std::thread& writer : writers) writer.join();
  return 0;
}
