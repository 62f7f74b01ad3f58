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

// Which rows are wanted.
struct RowsWanted {
  std::string key;  // "" = all, or those of the prefix
  std::string prefix;
  std::uint64_t limit = 0;         // 0 = all
  std::uint64_t min_position = 0;  // 0 = as they are
  std::uint64_t wait_ms = 0;       // for min_position
  bool partial = false;
};

// "/rows/42?minPosition=7&waitMs=1000"
std::string row_path(const RowsWanted& wanted);

// Some rows as the server sent them.
struct RowPage {
  std::vector<std::string> rows;  // {"key", "row"} each, JSON as it was written
  std::uint64_t position = 0;
  std::uint64_t generation = 0;
};

// Asks for page after page and gives them to `take`, until there are no more, enough rows came, or it returns
// false. Returns the last answer, be it a refusal. Errors are those of the client.
Result<api::Answer> read_row_pages(api::Client& client, const ProjectionArguments& projection,
                                   const RowsWanted& wanted, const std::function<bool(const RowPage&)>& take);

}  // namespace cairn::cli
