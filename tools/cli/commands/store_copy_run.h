#pragma once

#include <string>
#include <string_view>

#include "eventstore/store_copy.h"

namespace cairn::cli {

// The arguments of `cairn backup` and `cairn restore`, which differ in their messages and checks.
struct StoreCopyRun {
  std::string from;
  std::string to;
  CopyCheck check = CopyCheck::kCopy;
  bool json = false;
  std::string_view done_word;  // "backed up", "restored"
};

// Copies a store with a progress bar on stderr, until SIGINT or SIGTERM cancels it, and prints the result.
// Returns the exit code: kExitUsage when `to` cannot be used, kExitNo for every other failure.
int run_store_copy(const StoreCopyRun& run);

}  // namespace cairn::cli
