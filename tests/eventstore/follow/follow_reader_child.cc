// Follows the store in FOLDER in another process. Reads commands from its input, one a line, and answers
// each with a line.
//
//   follow_reader_child FOLDER
//
//   open       ok | err MESSAGE
//   through N  waits for position N; ok DIGEST of the events 1 … N, read as they arrive | err …
//   hold       begins a scan that never ends; prints "holding" from inside it

#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <memory>
#include <sstream>
#include <string>

#include <unistd.h>

#include "eventstore/base/checksum.h"
#include "eventstore/log_reader.h"

namespace {

using namespace cairn;

void say(std::string line) {
  line += '\n';
  if (::write(STDOUT_FILENO, line.data(), line.size()) < 0) std::_Exit(3);
}

class Reading {
 public:
  explicit Reading(LogReader& log) : log_(log) {}

  std::string through(std::uint64_t end) {
    while (next_ <= end) {
      if (!log_.wait_for({next_}, std::chrono::seconds(30))) return "err nothing new";
      const auto done = log_.scan({.from = {next_}, .to = GlobalPosition{end}}, [&](const EventView& event) {
        in_order_ = in_order_ && event.position.value == next_++;
        digest_ = checksum64(event.data, checksum64(event.id.bytes.data(), 16, digest_));
        return true;
      });
      if (!done.ok()) return "err " + done.error().message;
    }
    return in_order_ ? "ok " + std::to_string(digest_) : "err out of order";
  }

 private:
  LogReader& log_;
  std::uint64_t next_ = 1;
  std::uint64_t digest_ = 0;
  bool in_order_ = true;
};

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  ::alarm(120);
  std::unique_ptr<LogReader> log;
  std::unique_ptr<Reading> reading;
  std::string line;
  while (std::getline(std::cin, line)) {
    std::istringstream words(line);
    std::string command;
    words >> command;
    if (command == "open") {
      auto opened = LogReader::open_beside(argv[1]);
      if (!opened.ok()) {
        say("err " + opened.error().message);
        continue;
      }
      log = *std::move(opened);
      reading = std::make_unique<Reading>(*log);
      say("ok");
    } else if (!log) {
      say("err not open");
    } else if (command == "through") {
      std::uint64_t end = 0;
      words >> end;
      say(reading->through(end));
    } else if (command == "hold") {
      const auto held = log->scan({}, [](const EventView&) -> bool {
        say("holding");
        for (;;) ::pause();
      });
      say(held.ok() ? "ok" : "err " + held.error().message);
    }
  }
  return 0;
}
