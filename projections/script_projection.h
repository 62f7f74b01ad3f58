#pragma once

#include <memory>

#include "projections/definitions/projection_event.h"
#include "projections/projection.h"
#include "upcasters/lua/lua_host.h"

namespace cairn {

// Makes a projection from the script of a definition. Fails when the script cannot be used. `log` receives
// its log output.
ScriptResult<std::shared_ptr<const Projection>> make_script_projection(const ProjectionDefinition& definition,
                                                                       LuaHost::Log log = {});

}  // namespace cairn
