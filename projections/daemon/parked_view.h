#pragma once

#include <memory>
#include <string>
#include <vector>

#include "projections/daemon/generation.h"
#include "projections/daemon/projection_daemon.h"

namespace cairn {

// What is parked in some generations of a projection, rising by key; from behind the key `after`.
Result<ParkedList> parked_list(const std::vector<std::shared_ptr<Generation>>& generations,
                               const std::string& after, std::size_t limit);

// All that is parked at one key.
Result<std::vector<ParkedKeyDetail>> parked_details(
    const std::vector<std::shared_ptr<Generation>>& generations, const std::string& key);

}  // namespace cairn
