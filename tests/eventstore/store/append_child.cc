// Eight writer threads and a reader on one store, for a parent process that kills them.
//
//   append_child FOLDER CYCLE [APPENDS [JOURNAL_BYTES]]
//
// Writes one line before each append, with what it sends, and one after it, with the answer; the reader
// writes which event it has read. Each line with one write(2). Ends when it is killed, when each writer has
// made so many appends, when an append fails, or after ten minutes.

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

#include <unistd.h>

#include "eventstore/event_store.h"
#include "tests/support/crash_plan.h"
#include "tests/support/numbered_events.h"
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

void write_on(EventStore& store, std::uint32_t cycle, std::uint32_t writer, std::uint32_t appends) {
  CrashOp op{cycle, writer, 0, version_of(store, "own-" + std::to_string(writer)),
             version_of(store, "hot-1")};
  for (; op.number < appends; ++op.number) {
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

// Says the newest event after each commit that it sees.
void read_on(EventStore& store, const std::atomic<bool>& done) {
  for (std::uint64_t last = 0; !done;) {
    if (!store.wait_for({last + 1}, std::chrono::milliseconds(20))) continue;
    auto page = store.read_log({std::nullopt, Direction::kBackward, 1, {}});
    if (!page.ok() || page->events.empty()) return;
    last = page->events[0].position.value;
    say("R " + std::to_string(last) + " " + std::to_string(number_of(page->events[0].id)));
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3 || argc > 5) return 2;
  ::alarm(600);
  StoreOptions options = small_store();
  options.tail_events_flush = 300;  // so that some kills hit a flush
  if (argc == 5) options.journal_bytes = std::strtoull(argv[4], nullptr, 10);
  auto store = EventStore::open(argv[1], options);
  if (!store.ok()) {
    say("F 0 0 0 open " + store.error().message);
    return 1;
  }
  const auto cycle = static_cast<std::uint32_t>(std::strtoul(argv[2], nullptr, 10));
  const auto appends = argc >= 4 ? static_cast<std::uint32_t>(std::strtoul(argv[3], nullptr, 10)) : 900'000;
  std::atomic<bool> done = false;
  std::thread reader([&] { read_on(**store, done); });
  std::vector<std::thread> writers;
  for (std::uint32_t writer = 0; writer < kCrashWriters; ++writer) {
    writers.emplace_back([&, writer] { write_on(**store, cycle, writer, appends); });
  }
  for (std::thread& writer : writers) writer.join();
  done = true;
  reader.join();
  return 0;
}
