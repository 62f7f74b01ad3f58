#pragma once

#include <filesystem>

#include "eventstore/base/result.h"

namespace cairn {

// Checks the pages of the LMDB environment in `folder`, beside a process that may be writing it. LMDB trusts
// them: a damaged one could send it outside the file. Fails with kCorruption, and says what is wrong.
// REQUIRES: this process does not have the environment open.
Status check_pages_beside(const std::filesystem::path& folder);

}  // namespace cairn
