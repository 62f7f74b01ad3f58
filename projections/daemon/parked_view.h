#pragma once

#include <memory>
#include <string>
#include <vector>

#include "projections/daemon/read_models.h"
#include "projections/readmodel/read_model.h"

namespace cairn {

// A page of what is parked in the read models of a projection's generations, rising by key, with keys greater
// than `after`. A page may exceed `limit` so that entries of the same key stay together.
Result<ParkedList> parked_list(const std::vector<std::shared_ptr<ReadModel>>& models,
                               const std::string& after, std::size_t limit);

// All entries of one key. kNotFound: nothing is parked there.
Result<std::vector<ParkedKeyDetail>> parked_details(const std::vector<std::shared_ptr<ReadModel>>& models,
                                                    const std::string& key);

}  // namespace cairn
