#pragma once

#include "eventstore/base/error.h"

namespace cairn {

// The answer when the progress of a copy does not want to go on.
inline Error copy_given_up() { return make_error(Errc::kFailedPrecondition, "the copy was given up"); }

}  // namespace cairn
