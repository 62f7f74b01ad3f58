#pragma once

#include <functional>
#include <string>

#include "api/http/router.h"
#include "api/serving/store_slot.h"
#include "eventstore/base/work_budget.h"
#include "schemaregistry/registry/registry_error.h"

namespace cairn::api {

// The work of a registry route, after its request was parsed: returns the body of the answer, which is always
// JSON, or an error. Owns what it needs of the request. A task that parses schemas charges `budget`.
using RegistryTask = std::function<RegistryResult<std::string>(SchemaRegistry& registry, WorkBudget& budget)>;

// Parses a request into a task, or refuses it.
using RegistryHandler = std::function<RegistryResult<RegistryTask>(const HttpRequest& request)>;

// Where the task runs: kQuick on the thread of the server, the others on the registry's thread. A kCheck parses
// and compares schemas: it may take ServerLimits::check_cpu_max, and is cancelled when its client leaves or the
// server stops. A kChange is not cancelled.
enum class TaskCost { kQuick, kChange, kCheck };

// The media type of the registry that the client prefers. Of the types that the Accept header names, the
// first in this order: vnd.schemaregistry.v1+json, vnd.schemaregistry+json, json. The first one when it names
// none.
const char* registry_type_for(const HttpRequest& request);

// The response for the result of a task.
HttpResponse registry_response(RegistryResult<std::string> result, const char* type);

// A route of the schema registry. Answers 503 while the store recovers. The answer has the type of
// registry_type_for().
Route registry_route(const StoreSlot& slot, std::string method, std::string path, Scope scope, TaskCost cost,
                     RegistryHandler handle);

// A route that only reads.
Route registry_get(const StoreSlot& slot, std::string path, RegistryHandler handle);

// A route that changes the registry. 403 for a token that is limited to categories.
Route registry_change(const StoreSlot& slot, std::string method, std::string path, RegistryHandler handle,
                      TaskCost cost = TaskCost::kChange);

// The route, with 403 for a token that is limited to categories: a schema is for events of every category.
Route for_all_categories(Route route);

}  // namespace cairn::api
