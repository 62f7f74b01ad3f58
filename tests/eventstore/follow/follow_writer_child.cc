// Writer threads on one store, for a parent process that follows its log and may kill this one.
//
//   follow_writer_child FOLDER CYCLE JOURNAL_BYTES MAP_BYTES WRITERS APPENDS_MAX
//
// Prints "open", then for each acknowledged append "A POSITION NUMBER COUNT": the events NUMBER … are at
// POSITION and after. Ends after APPENDS_MAX of each writer (0 = never), when it is killed, or when its
// input ends. Then it prints "E HEAD HASH" and closes the store.

#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <string>
#include <thread>
#include <vector>

#include <unistd.h>

#include "eventstore/event_store.h"
#include "tests/support/numbered_events.h"
#include "tests/support/small_store.h"

namespace {

using namespace cairn;
using namespace cairn::test;

std::atomic<bool> stopping = false;

void say(std::string line) {
  line += '\n';
  if (::write(STDOUT_FILENO, line.data(), line.size()) < 0) std::_Exit(3);
}

// Mostly small; some fill many pages of the journal, and a few are too large for it.
std::size_t data_bytes(std::uint64_t n) {
  if (n % 499 == 7) return 2'200'000;
  if (n % 41 == 3) return 20'000;
  return n % 7 == 2 ? 3'000 : 40;
}

void write_on(EventStore& store, std::uint64_t first, std::uint64_t appends) {
  for (std::uint64_t i = 0; !stopping && (appends == 0 || i < appends); ++i) {
    const std::uint64_t n = first + i * 4;
    const std::uint64_t count = 1 + i % 3;
    AppendRequest asked =
        request({to(i % 5 == 0 ? "$audit" : "s-" + std::to_string(i % 11), ExpectedVersion::any(), {})});
    if (i % 5 == 0) asked.origin = Origin::kSystem;
    for (std::uint64_t k = 0; k < count; ++k)
      asked.streams[0].events.push_back(numbered_event(n + k, data_bytes(n + k)));
    const auto done = store.append(std::move(asked));
    if (!done.ok()) {
      say("F " + done.error().message);
      return;
    }
    say("A " + std::to_string(done->streams.at(0).first_position.value) + " " + std::to_string(n) + " " +
        std::to_string(count));
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 7) return 2;
  ::alarm(120);
  const auto number = [&](int i) { return std::strtoull(argv[i], nullptr, 10); };
  StoreOptions options = small_store();
  options.journal_bytes = number(3);
  options.log_map_bytes = number(4);
  options.tail_events_flush = 300;  // so that the index moves too
  auto store = EventStore::open(argv[1], options);
  if (!store.ok()) {
    say("F " + store.error().message);
    return 1;
  }
  say("open");
  std::vector<std::thread> writers;
  for (std::uint64_t writer = 0; writer < number(5); ++writer) {
    const std::uint64_t first = (number(2) * 16 + writer) * 10'000'000;
    writers.emplace_back([&, first] { write_on(**store, first, number(6)); });
  }
  std::thread stopper;
  if (number(6) == 0) {
    stopper = std::thread([] {
      std::string line;
      while (std::getline(std::cin, line)) {
      }
      stopping = true;
    });
  }
  for (std::thread& writer : writers) writer.join();
  if (stopper.joinable()) stopper.join();
  say("E " + std::to_string((*store)->head().value) + " " + (*store)->head_hash());
  store->reset();
  return 0;
}
