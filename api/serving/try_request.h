#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/http/http_message.h"
#include "api/http/problem.h"
#include "api/serving/route_context.h"
#include "upcasters/lua/script_error.h"
#include "upcasters/trial/trial_events.h"
#include "upcasters/trial/trial_report.h"

namespace cairn::api {

// A script to be tried, and the events for it: given ones, or the last ones of the log, or those of a stream.
struct TryRequest {
  std::string source;
  std::string file;  // its name in messages
  std::optional<TrialEvents> given;
  std::optional<std::size_t> last;
  std::optional<std::string> stream;
};

enum class TakesStream { kNo, kYes };

// Reads {"source","file","events":[…]} or {"source","file","last"}, and with `takes_stream` {"source","file",
// "stream"}. `file` is the default of "file"; `default_stream` that of events that name no stream, or "".
Answered<TryRequest> parse_try(const HttpRequest& request, std::string_view file, TakesStream takes_stream,
                               const std::string& default_stream = "");

// 422 script-error: the script cannot be loaded.
Problem script_refused(const ScriptError& error);

// A warning for each type that no schema and no stored event has, with the nearest name. Where events need no schema,
// such a type may just not have come yet: then only for one that is near another name.
std::vector<ScriptWarning> unknown_types(const StoreSlot& slot, SchemaPolicy policy,
                                         const std::vector<std::string>& types);

}  // namespace cairn::api
