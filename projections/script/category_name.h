#pragma once

#include <string_view>

#include "eventstore/base/limits.h"
#include "eventstore/base/names.h"
#include "eventstore/types.h"

namespace cairn {

// Whether user streams can have a category of this name. Scripts may pass any text.
inline bool is_category_name(std::string_view name) {
  return !name.empty() && name.size() <= limits::kStreamNameBytesMax && is_printable_name(name) &&
         category_of(name) == name && !is_system_stream(name);
}

}  // namespace cairn
