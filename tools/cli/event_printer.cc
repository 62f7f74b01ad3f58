#include "tools/cli/event_printer.h"

#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <iostream>
#include <string>

#include "eventstore/base/error.h"
#include "tools/cli/event_row.h"
#include "tools/cli/exit_code.h"
#include "tools/cli/terminal.h"

namespace cairn::cli {

bool EventPrinter::print(std::string_view event) {
  if (shown_ == Shown::kTable) {
    const std::size_t width = terminal_width(STDOUT_FILENO);  // Asked each time: windows change.
    if (!headed_) write(event_heading(width) + "\n");
    headed_ = true;
    write(event_row(event, width) + "\n");
  } else {
    write(event) && write("\n");
  }
  return flush_ == Flush::kAtTheEnd ? failure_ == 0 : flush();
}

int EventPrinter::finish() {
  if (flush() || failure_ == EPIPE) return kExitOk;
  std::cerr << "cairn: " << system_error("writing the events", failure_).message << '\n';
  return kExitNo;
}

bool EventPrinter::write(std::string_view text) {
  if (failure_ == 0 && std::fwrite(text.data(), 1, text.size(), stdout) != text.size()) failure_ = errno;
  return failure_ == 0;
}

bool EventPrinter::flush() {
  if (failure_ == 0 && std::fflush(stdout) != 0) failure_ = errno;
  return failure_ == 0;
}

}  // namespace cairn::cli
