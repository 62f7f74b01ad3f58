#pragma once

#include <filesystem>

#include "eventstore/base/result.h"

namespace cairn {

// Checks the pages of the LMDB environment in `folder`, which another process may be writing. LMDB trusts its
// pages: a damaged one could make it read outside the file. Fails with kCorruption and says what is wrong.
// REQUIRES: this process does not have the environment open.
Status check_pages_beside(const std::filesystem::path& folder);

}  // namespace cairn
