#pragma once

#include <memory>

#include "projections/aggregates/aggregate.h"
#include "projections/aggregates/aggregate_event.h"
#include "upcasters/lua/lua_host.h"

namespace cairn {

// The aggregate of a definition. Its script is loaded when make_state() is called. `log` receives its log
// output.
std::shared_ptr<const Aggregate> make_script_aggregate(const AggregateDefinition& definition,
                                                       LuaHost::Log log);

}  // namespace cairn
