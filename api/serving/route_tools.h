#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "api/access/token_file.h"
#include "api/http/problem.h"
#include "api/http/responder.h"
#include "api/http/router.h"
#include "api/serving/store_slot.h"
#include "eventstore/json/request_origin.h"

namespace cairn::api {

using StoreHandler =
    std::function<void(EventStore& store, const HttpRequest& request, const Responder& respond)>;

// For the events that the program writes because of the request.
RequestOrigin origin_of(const HttpRequest& request);

// A route that needs the store. Answers 503 while the store recovers.
RouteHandler with_store(const StoreSlot& slot, StoreHandler handle);

// Answers with the problem if `checked` is one, and returns whether it did.
template <typename T>
bool refused(const Answered<T>& checked, const Responder& respond) {
  if (checked.ok()) return false;
  respond(checked.error().to_response());
  return true;
}

// The response, or the problem as one.
HttpResponse to_response(Answered<HttpResponse> answer);

// Fails with 403 when the request's token does not reach streams of this category.
Answered<void> check_category(const HttpRequest& request, std::string_view category);

// The same for several categories, where none means all.
Answered<void> check_categories(const HttpRequest& request, const std::vector<std::string>& categories);

// The media type of a header's value: "application/json; charset=utf-8" -> "application/json".
std::string_view media_type(std::string_view value);

// Whether the request declares this media type for its body.
bool has_content_type(const HttpRequest& request, std::string_view type);

// Whether the client prefers an answer in lines of JSON (NDJSON).
bool wants_lines(const HttpRequest& request);

// Fails with 415 when the body is not declared as Lua, and with 413 when it is too large for a script.
Answered<void> check_script(const HttpRequest& request);

// {"name":json}, which is a line of an answer in lines.
std::string named_json(std::string_view name, std::string_view json);

// Each path requires its own media type: a page in a browser can send some types to any address without a
// CORS preflight.
Problem wrong_content_type(std::string_view wanted);

}  // namespace cairn::api
