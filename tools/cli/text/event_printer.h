#pragma once

#include <string_view>

#include "tools/cli/text/line_output.h"

namespace cairn::cli {

enum class OutputForm { kTable, kJsonLines };
enum class Flush { kAtTheEnd, kEachEvent };

// Prints events on stdout as they arrive: a table, or one JSON object per line.
class EventPrinter {
 public:
  EventPrinter(OutputForm shown, Flush flush) : shown_(shown), flush_(flush) {}

  // `event` is JSON on one line. False when stdout was closed; then nothing more is printed.
  bool print(std::string_view event);

  // Flushes, reports on stderr if the output could not be written, and returns the exit code. A closed pipe,
  // as `| head` leaves it, is not a failure.
  int finish();

 private:
  const OutputForm shown_;
  const Flush flush_;
  bool headed_ = false;
  LineOutput output_;
};

}  // namespace cairn::cli
