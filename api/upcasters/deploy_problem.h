#pragma once

#include "api/http/problem.h"
#include "upcasters/deploy/deployer.h"

namespace cairn::api {

// The problem that a client gets when its upcaster is refused, for both dialects. Details that only the
// operator should see go to the log.
Problem deploy_problem(const DeployRefusal& refusal);

}  // namespace cairn::api
