#include "tools/cli/aggregate/aggregate_file.h"

#include <memory>
#include <utility>

#include "projections/script/aggregate_fold.h"

namespace cairn::cli {

ScriptResult<std::string> aggregate_category(const std::string& source, const std::string& file) {
  CAIRN_TRY(const std::unique_ptr<AggregateFold> fold, AggregateFold::make(source, file));
  return fold->header().category;
}

}  // namespace cairn::cli
