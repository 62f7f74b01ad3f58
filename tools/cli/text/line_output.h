#pragma once

#include <string_view>

namespace cairn::cli {

// Much text on stdout, of which a reader may have had enough at any time. Belongs to one thread.
class LineOutput {
 public:
  // False when the output is not taken any more; then no more is written.
  bool write(std::string_view text);
  bool flush();
  bool good() const { return failure_ == 0; }

  // Flushes, says on stderr if the output could not be written, and returns the exit code. A reader that has
  // had enough, as `head` has, is no failure. `doing` is what failed: "writing the events".
  int finish(std::string_view doing);

 private:
  int failure_ = 0;  // errno
};

}  // namespace cairn::cli
