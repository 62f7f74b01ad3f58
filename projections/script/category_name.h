#pragma once

#include <string_view>

#include "eventstore/base/limits.h"
#include "eventstore/base/names.h"
#include "eventstore/types.h"

namespace cairn {

// Whether streams of users can be of a category of that name. Scripts can say anything.
inline bool is_category_name(std::string_view name) {
  return !name.empty() && name.size() <= limits::kStreamNameBytesMax && is_printable_name(name) &&
         category_of(name) == name && !is_system_stream(name);
}

}  // namespace cairn
