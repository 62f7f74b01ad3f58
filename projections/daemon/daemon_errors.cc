#include "projections/daemon/daemon_errors.h"

namespace cairn {

Error no_projection(const std::string& name) {
  return make_error(Errc::kNotFound, "there is no projection '" + name + "'");
}

Error projection_exists(const std::string& name) {
  return make_error(Errc::kFailedPrecondition, "there is a projection '" + name + "' already");
}

Error own_projection(const std::string& name) {
  return make_error(Errc::kFailedPrecondition, "'" + name + "' is a projection of the program itself");
}

Error rows_being_built(const std::string& name) {
  return make_error(Errc::kFailedPrecondition, "the rows of '" + name + "' are being built");
}

}  // namespace cairn
