#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "eventstore/base/result.h"

namespace cairn::test {

// The bytes of all blocks in the log of a data folder, in order, journal included.
Result<std::vector<std::string>> blocks_in(const std::filesystem::path& data);

}  // namespace cairn::test
