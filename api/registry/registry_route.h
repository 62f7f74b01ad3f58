#pragma once

#include <functional>
#include <string>

#include "api/http/router.h"
#include "api/serving/store_slot.h"
#include "schemaregistry/registry/registry_error.h"

namespace cairn::api {

// What a route of the registry does, once its request was understood: answers with a body, which is always
// JSON, or refuses. It owns what it needs of the request.
using RegistryTask = std::function<RegistryResult<std::string>(SchemaRegistry& registry)>;

// Understands a request, or refuses it.
using RegistryHandler = std::function<RegistryResult<RegistryTask>(const HttpRequest& request)>;

// Where the task runs: at once, or on the thread for what takes long.
enum class TaskCost { kQuick, kLong };

// Of the types the registry answers with, the one the client would rather have.
const char* registry_type_for(const HttpRequest& request);

// The answer of a task.
HttpResponse registry_response(RegistryResult<std::string> result, const char* type);

// A route of the schema registry. While there is none yet the client is told to come back. The answer has the
// type the client would rather have: one of the registry's own, or application/json.
Route registry_route(const StoreSlot& slot, std::string method, std::string path, Scope scope, TaskCost cost,
                     RegistryHandler handle);

// Reads, and nothing else.
Route registry_get(const StoreSlot& slot, std::string path, RegistryHandler handle);

// Changes something.
Route registry_change(const StoreSlot& slot, std::string method, std::string path, RegistryHandler handle);

}  // namespace cairn::api
