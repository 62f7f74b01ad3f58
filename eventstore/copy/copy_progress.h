#pragma once

#include <cstdint>
#include <string_view>

#include "eventstore/base/result.h"
#include "eventstore/store_copy.h"

namespace cairn {

// Calls the progress callback, if there is one. Fails with kFailedPrecondition when the callback cancels the
// copy.
inline Status report_progress(const CopyProgress& progress, std::string_view stage, std::uint64_t done,
                              std::uint64_t total) {
  if (!progress || progress(stage, done, total)) return {};
  return make_error(Errc::kFailedPrecondition, "the copy was cancelled");
}

}  // namespace cairn
