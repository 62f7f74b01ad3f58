// A store in a process of its own, told what to do in lines and answering in lines.
//
//   store_child FOLDER [FILL_BYTES]
//
//   open                                   ok | err CODE MESSAGE
//   append STREAM EXPECTED N COUNT BYTES   ok FIRST_VERSION FIRST_POSITION ALREADY_APPLIED | err …
//   async STREAM N COUNT                   one such answer for each of COUNT appends of one event, in order
//   note BYTES                             ok | err …: a block without events
//   hash                                   ok HASH
//   flush | close                          ok | err …
//   head                                   ok POSITION
//   progress                               ok DONE TOTAL: of the index, see EventStore::index_progress()
//   indexed                                ok, once the index is complete
//   digest                                 ok NUMBER | err …
//   fatal                                  ok HOW_OFTEN_ON_FATAL_WAS_CALLED
//
// Ends when its input does, without closing the store in any other way than the destructor. Each answer is
// one write.

#include <atomic>
#include <condition_variable>
#include <cstdlib>
#include <iostream>
#include <memory>
#include <mutex>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include <unistd.h>

#include "eventstore/event_store.h"
#include "tests/support/numbered_events.h"
#include "tests/support/small_store.h"
#include "tests/support/store_digest.h"

namespace {

using namespace cairn;
using namespace cairn::test;

std::atomic<int> fatal_calls = 0;

void say(std::string line) {
  for (char& letter : line) {
    if (letter == '\n') letter = ' ';
  }
  line += '\n';
  if (::write(STDOUT_FILENO, line.data(), line.size()) < 0) std::_Exit(3);
}

std::string failure(const Error& error) {
  return "err " + std::string(to_string(error.code)) + " " + error.message;
}

std::string answer(const Result<AppendResult>& result) {
  if (!result.ok()) return failure(result.error());
  const StreamAppendResult& done = result->streams.at(0);
  return "ok " + std::to_string(done.first_version.value) + " " + std::to_string(done.first_position.value) +
         " " + (result->already_applied ? "1" : "0");
}

ExpectedVersion expectation(const std::string& text) {
  if (text == "any") return ExpectedVersion::any();
  if (text == "exists") return ExpectedVersion::exists();
  return ExpectedVersion::exactly(std::strtoull(text.c_str(), nullptr, 10));
}

void append(EventStore& store, std::istream& words) {
  std::string stream, expected;
  std::uint64_t n = 0, count = 0, bytes = 0;
  words >> stream >> expected >> n >> count >> bytes;
  std::vector<NewEvent> events;
  for (std::uint64_t i = 0; i < count; ++i) events.push_back(numbered_event(n + i, bytes));
  say(answer(store.append(request({to(stream, expectation(expected), std::move(events))}))));
}

void append_async(EventStore& store, std::istream& words) {
  std::string stream;
  std::uint64_t n = 0, count = 0;
  words >> stream >> n >> count;
  std::mutex mutex;
  std::condition_variable changed;
  std::vector<std::string> answers(count);
  std::size_t answered = 0;
  for (std::uint64_t i = 0; i < count; ++i) {
    store.append_async(request({to(stream, ExpectedVersion::any(), {numbered_event(n + i, 50)})}),
                       [&, i](Result<AppendResult> result) {
                         std::lock_guard lock(mutex);
                         answers[i] = answer(result);
                         if (++answered == count) changed.notify_all();
                       });
  }
  std::unique_lock lock(mutex);
  changed.wait(lock, [&] { return answered == count; });
  for (const std::string& line : answers) say(line);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) return 2;
  ::alarm(120);
  std::unique_ptr<EventStore> store;
  std::string line;
  while (std::getline(std::cin, line)) {
    std::istringstream words(line);
    std::string command;
    words >> command;
    if (command == "open") {
      StoreOptions options = small_store();
      if (argc > 2) options.journal_bytes = std::strtoull(argv[2], nullptr, 10);
      options.on_fatal = [](std::string_view) { ++fatal_calls; };
      auto opened = EventStore::open(argv[1], options);
      if (opened.ok()) store = *std::move(opened);
      say(opened.ok() ? "ok" : failure(opened.error()));
    } else if (command == "fatal") {
      say("ok " + std::to_string(fatal_calls));
    } else if (!store) {
      say("err not-open");
    } else if (command == "append") {
      append(*store, words);
    } else if (command == "async") {
      append_async(*store, words);
    } else if (command == "note") {
      std::size_t bytes = 0;
      words >> bytes;
      AppendRequest note = request({});
      note.origin = Origin::kSystem;
      note.notes = {{.kind = 4'711, .required = false, .bytes = std::string(bytes, 'n')}};
      auto written = store->append(std::move(note));
      say(written.ok() ? "ok" : failure(written.error()));
    } else if (command == "hash") {
      say("ok " + store->head_hash());
    } else if (command == "flush") {
      auto flushed = store->flush_index();
      say(flushed.ok() ? "ok" : failure(flushed.error()));
    } else if (command == "close") {
      store.reset();
      say("ok");
    } else if (command == "head") {
      say("ok " + std::to_string(store->head().value));
    } else if (command == "progress") {
      const IndexProgress progress = store->index_progress();
      say("ok " + std::to_string(progress.done.value) + " " + std::to_string(progress.total.value));
    } else if (command == "indexed") {
      while (!store->index_progress().complete()) std::this_thread::yield();
      say("ok");
    } else if (command == "digest") {
      auto digest = digest_of(*store);
      say(digest.ok() ? "ok " + std::to_string(*digest) : failure(digest.error()));
    } else {
      say("err unknown-command");
    }
  }
  return 0;
}
