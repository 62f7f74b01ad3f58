#pragma once

#include <memory>
#include <string>
#include <vector>

#include "projections/daemon/projection_daemon.h"
#include "projections/readmodel/read_model.h"

namespace cairn {

// What is parked in the read models of some generations of a projection, rising by key; from behind the key
// `after`.
Result<ParkedList> parked_list(const std::vector<std::shared_ptr<ReadModel>>& models,
                               const std::string& after, std::size_t limit);

// All that is parked at one key.
Result<std::vector<ParkedKeyDetail>> parked_details(const std::vector<std::shared_ptr<ReadModel>>& models,
                                                    const std::string& key);

}  // namespace cairn
