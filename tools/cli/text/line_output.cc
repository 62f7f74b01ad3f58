#include "tools/cli/text/line_output.h"

#include <cerrno>
#include <cstdio>
#include <iostream>
#include <string>

#include "eventstore/base/error.h"
#include "tools/cli/text/exit_code.h"

namespace cairn::cli {

bool LineOutput::write(std::string_view text) {
  if (failure_ == 0 && std::fwrite(text.data(), 1, text.size(), stdout) != text.size()) failure_ = errno;
  return failure_ == 0;
}

bool LineOutput::flush() {
  if (failure_ == 0 && std::fflush(stdout) != 0) failure_ = errno;
  return failure_ == 0;
}

int LineOutput::finish(std::string_view doing) {
  if (flush() || failure_ == EPIPE) return kExitOk;
  std::cerr << "cairn: " << system_error(std::string(doing), failure_).message << '\n';
  return kExitNo;
}

}  // namespace cairn::cli
