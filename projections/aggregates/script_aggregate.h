#pragma once

#include <memory>

#include "projections/aggregates/aggregate.h"
#include "projections/aggregates/aggregate_event.h"
#include "upcasters/lua/lua_host.h"

namespace cairn {

// The aggregate whose source is in a definition.
std::shared_ptr<const Aggregate> make_script_aggregate(const AggregateDefinition& definition,
                                                       LuaHost::Log log);

}  // namespace cairn
