#pragma once

#include <string>
#include <string_view>

#include "eventstore/store_copy.h"

namespace cairn::cli {

// What `cairn backup` and `cairn restore` were asked for: they differ in their words and in what they check.
struct StoreCopyRun {
  std::string from;
  std::string to;
  CopyCheck check = CopyCheck::kCopy;
  bool json = false;
  std::string_view deed;  // "backed up", "restored"
};

// Copies with a bar on stderr, which Ctrl-C and SIGTERM end in order, and says how it went. Returns the exit
// code: kExitUsage when `to` cannot be used, kExitNo when there is no copy for another reason.
int run_store_copy(const StoreCopyRun& run);

}  // namespace cairn::cli
