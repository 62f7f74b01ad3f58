#include "tools/bench/process_memory.h"

#include <fstream>
#include <string>

namespace cairn::bench {

ProcessMemory process_memory() {
  ProcessMemory memory;
  std::ifstream status("/proc/self/status");
  std::string key;
  for (std::uint64_t kib = 0; status >> key;) {
    if (key == "RssAnon:" && status >> kib) memory.anonymous = kib * 1024;
    if (key == "RssFile:" && status >> kib) memory.file = kib * 1024;
    status.ignore(4096, '\n');
  }
  return memory;
}

}  // namespace cairn::bench
