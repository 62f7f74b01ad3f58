#pragma once

#include "eventstore/base/error.h"

namespace cairn {

// The error of a build without Avro C++.
inline Error built_without_avro_files() {
  return make_error(Errc::kFailedPrecondition,
                    "this cairn was built without .avro files; `./run deps` fetches what they need");
}

}  // namespace cairn
