#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "api/client/client.h"
#include "eventstore/base/result.h"
#include "tools/cli/projection/projection_arguments.h"

namespace cairn::cli {

// The rows to read.
struct RowRequest {
  std::string key;  // "" = all rows, or all with the prefix
  std::string prefix;
  std::uint64_t limit = 0;         // 0 = all
  std::uint64_t min_position = 0;  // 0 = no wait
  std::uint64_t wait_ms = 0;       // for min_position
  bool partial = false;
};

// "/rows/42?minPosition=7&waitMs=1000"
std::string row_path(const RowRequest& wanted);

// One page of rows.
struct RowPage {
  std::vector<std::string> rows;  // {"key", "row"} each, JSON as it was written
  std::uint64_t position = 0;
  std::uint64_t generation = 0;
};

// Reads page after page and passes each to `take`, until there are no more, the limit is reached, or `take`
// returns false. Returns the last answer, which may be a refusal. Fails with the client's errors.
Result<api::Answer> read_row_pages(api::Client& client, const ProjectionArguments& projection,
                                   const RowRequest& wanted, const std::function<bool(const RowPage&)>& take);

}  // namespace cairn::cli
