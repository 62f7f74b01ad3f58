#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "eventstore/base/result.h"

namespace cairn::bench {

// Where and when the figures came about.
struct Machine {
  std::string date;  // UTC
  std::string cpu;
  unsigned cores = 0;
  double memory_bytes = 0;
  std::string kernel;
  std::string file_system;
  double sync_us = 0;  // median of writing 4 KiB over itself and fdatasync
  double busy_before =
      0;  // share of the cores that others kept busy, before the first case and after the last
  double busy_after = 0;
  std::string cairn;
  std::string postgres;
  std::string sqlite;
};

// The share of the cores, 0 to 1, that is busy during the next half second. Call it when we ourselves do
// nothing.
double busy_share();

// Looks at this machine and measures its disk in `folder`. The versions and busy_after are left to the
// caller.
Result<Machine> look_at_machine(const std::filesystem::path& folder);

// Lines for people.
std::vector<std::string> describe(const Machine& machine);

}  // namespace cairn::bench
