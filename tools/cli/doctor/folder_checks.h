#pragma once

#include <vector>

#include "tools/cli/doctor/doctor_check.h"
#include "tools/cli/doctor/folder_facts.h"

namespace cairn::cli {

// What the facts mean for a store in that folder, in the order in which they are shown. Of a folder that does not
// exist yet there is no check of its owner, and without a store none of versions, damage and lock. Pure.
std::vector<Check> folder_checks(const FolderFacts& facts);

}  // namespace cairn::cli
