#pragma once

#include <functional>
#include <string>

#include "api/http/router.h"
#include "api/serving/store_slot.h"
#include "schemaregistry/registry/registry_error.h"

namespace cairn::api {

// The work of a registry route, after its request was parsed: returns the body of the answer, which is always
// JSON, or an error. Owns what it needs of the request.
using RegistryTask = std::function<RegistryResult<std::string>(SchemaRegistry& registry)>;

// Parses a request into a task, or refuses it.
using RegistryHandler = std::function<RegistryResult<RegistryTask>(const HttpRequest& request)>;

// Where the task runs: kQuick on the thread of the server, kLong on the registry's thread.
enum class TaskCost { kQuick, kLong };

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
Route registry_change(const StoreSlot& slot, std::string method, std::string path, RegistryHandler handle);

// The route, with 403 for a token that is limited to categories: a schema is for events of every category.
Route for_all_categories(Route route);

}  // namespace cairn::api
