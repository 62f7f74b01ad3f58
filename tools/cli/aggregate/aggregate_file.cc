#include "tools/cli/aggregate/aggregate_file.h"

#include <memory>
#include <utility>

#include "projections/script/aggregate_fold.h"

namespace cairn::cli {

std::variant<std::string, ScriptError> aggregate_category(const std::string& source,
                                                          const std::string& file) {
  auto made = AggregateFold::make(source, file);
  if (auto* error = std::get_if<ScriptError>(&made)) return std::move(*error);
  return std::get<std::unique_ptr<AggregateFold>>(made)->header().category;
}

}  // namespace cairn::cli
