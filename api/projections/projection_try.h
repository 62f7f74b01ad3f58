#pragma once

#include <string>
#include <vector>

#include "api/serving/route_context.h"
#include "api/serving/store_slot.h"
#include "upcasters/trial/trial_report.h"

namespace cairn::api {

// The warnings about a script that is being deployed: types that no schema has; and, of a trial on the last events
// that it selects, a key that was nil for all of them and keys that would be parked. The trial takes half a second
// at most. Empty when the script cannot be loaded.
std::vector<ScriptWarning> deploy_warnings(const StoreSlot& slot, SchemaPolicy policy,
                                           const std::string& source, const std::string& file);

}  // namespace cairn::api
