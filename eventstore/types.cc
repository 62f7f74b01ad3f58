#include "eventstore/types.h"

namespace cairn {

std::string ExpectedVersion::to_string() const {
  switch (kind_) {
    case Kind::kExact:
      return std::to_string(version_);
    case Kind::kAny:
      return "any";
    case Kind::kExists:
      return "exists";
  }
  return "?";
}

}  // namespace cairn
