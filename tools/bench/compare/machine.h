#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "eventstore/base/result.h"

namespace cairn::bench {

// The machine and the time of a run.
struct Machine {
  std::string date;  // UTC
  std::string cpu;
  unsigned cores = 0;
  double memory_bytes = 0;
  std::string kernel;
  std::string file_system;
  double sync_us = 0;  // median of writing 4 KiB over itself and fdatasync
  double busy_before =
      0;  // share of the cores used by other processes, before the first case and after the last
  double busy_after = 0;
  std::string cairn;
  std::string postgres;
  std::string sqlite;
};

// The share of the cores, 0 to 1, that is busy during the next half second. REQUIRES: this process is idle.
double busy_share();

// Describes this machine and measures its disk in `folder`. The caller sets the versions and busy_after.
Result<Machine> describe_machine(const std::filesystem::path& folder);

// As text.
std::vector<std::string> describe(const Machine& machine);

}  // namespace cairn::bench
