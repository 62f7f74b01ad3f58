#include "upcasters/definitions/produced_types.h"

#include <algorithm>

namespace cairn {

bool may_produce(const Upcaster& upcaster, const std::string& type) {
  const auto& produces = upcaster.header.produces;
  return std::find(produces.begin(), produces.end(), type) != produces.end() ||
         upcaster.source.find(type) != std::string::npos;
}

std::vector<std::string> stored_types_of(const Upcasters& upcasters, const std::vector<std::string>& wanted) {
  std::vector<std::string> types = wanted;
  const auto all = upcasters.all();
  for (std::size_t i = 0; i < types.size(); ++i) {  // the loop adds to it
    for (const auto& upcaster : all) {
      const std::string& type = upcaster->header.type;
      if (may_produce(*upcaster, types[i]) && std::find(types.begin(), types.end(), type) == types.end()) {
        types.push_back(type);
      }
    }
  }
  return types;
}

}  // namespace cairn
