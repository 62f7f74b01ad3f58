#include "tools/cli/text/event_printer.h"

#include <unistd.h>

#include <string>

#include "tools/cli/text/event_row.h"
#include "tools/cli/text/terminal.h"

namespace cairn::cli {

bool EventPrinter::print(std::string_view event) {
  if (shown_ == OutputForm::kTable) {
    const std::size_t width = terminal_width(STDOUT_FILENO);  // Read each time: the window may be resized.
    if (!headed_) output_.write(event_heading(width) + "\n");
    headed_ = true;
    output_.write(event_row(event, width) + "\n");
  } else {
    output_.write(event) && output_.write("\n");
  }
  return flush_ == Flush::kAtTheEnd ? output_.good() : output_.flush();
}

int EventPrinter::finish() { return output_.finish("writing the events"); }

}  // namespace cairn::cli
