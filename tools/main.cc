#include <fcntl.h>
#include <unistd.h>

#include "tools/cli/cli.h"

#ifndef CAIRN_VERSION
#define CAIRN_VERSION "dev"
#endif

namespace {

// Takes the places of standard descriptors that the caller has closed: else the first socket or file that the
// program opens becomes its output. Reading there is at the end at once, and writing fails.
void take_standard_descriptors() {
  for (const int descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (::fcntl(descriptor, F_GETFD) == -1) static_cast<void>(::open("/dev/null", O_RDONLY));
  }
}

}  // namespace

int main(int argc, char** argv) {
  take_standard_descriptors();
  return cairn::cli::run(argc, argv, CAIRN_VERSION);
}
