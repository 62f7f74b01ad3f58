#include "eventstore/base/assert.h"

#include <cstdio>
#include <cstdlib>

namespace cairn::internal {

void print_and_abort(const char* condition, const char* file, int line, const std::string& values) {
  std::fprintf(stderr, "%s:%d: assertion failed: %s;%s\n", file, line, condition, values.c_str());
  std::abort();
}

}  // namespace cairn::internal
