#pragma once

#include <string_view>

namespace cairn::cli {

// Writes long output to stdout, which the reader may close at any time. Not thread-safe.
class LineOutput {
 public:
  // False when stdout was closed; then nothing more is written.
  bool write(std::string_view text);
  bool flush();
  bool good() const { return failure_ == 0; }

  // Flushes, reports on stderr if the output could not be written, and returns the exit code. A closed pipe,
  // as `| head` leaves it, is not a failure. `doing` names the failed work: "writing the events".
  int finish(std::string_view doing);

 private:
  int failure_ = 0;  // errno
};

}  // namespace cairn::cli
