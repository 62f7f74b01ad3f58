#pragma once

#include <string_view>

#include "tools/cli/text/line_output.h"

namespace cairn::cli {

enum class Shown { kTable, kJsonLines };
enum class Flush { kAtTheEnd, kEachEvent };

// Prints events on stdout as they come: a table for people, one JSON object a line for machines.
class EventPrinter {
 public:
  EventPrinter(Shown shown, Flush flush) : shown_(shown), flush_(flush) {}

  // `event` is JSON on one line. False when the output is not taken any more; then no more is printed.
  bool print(std::string_view event);

  // Flushes, says on stderr if the output could not be written, and returns the exit code. A reader that has
  // had enough, as `head` has, is no failure.
  int finish();

 private:
  const Shown shown_;
  const Flush flush_;
  bool headed_ = false;
  LineOutput output_;
};

}  // namespace cairn::cli
