#pragma once

#include <memory>
#include <variant>

#include "projections/definitions/projection_event.h"
#include "projections/projection.h"
#include "upcasters/lua/lua_host.h"

namespace cairn {

// The projection whose script is in a definition, or what is wrong with the script. `log` gets what it says.
std::variant<std::shared_ptr<const Projection>, ScriptError> make_script_projection(
    const ProjectionDefinition& definition, LuaHost::Log log = {});

}  // namespace cairn
