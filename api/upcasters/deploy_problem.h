#pragma once

#include "api/http/problem.h"
#include "upcasters/deploy/deployer.h"

namespace cairn::api {

// What a client is told when its upcaster is not taken, in both dialects. What only the operator should know
// goes to the log.
Problem deploy_problem(const DeployRefusal& refusal);

}  // namespace cairn::api
