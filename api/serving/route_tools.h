#pragma once

#include <functional>
#include <optional>
#include <string_view>

#include "api/access/token_file.h"
#include "api/http/problem.h"
#include "api/http/responder.h"
#include "api/http/router.h"
#include "api/serving/store_slot.h"

namespace cairn::api {

using StoreHandler =
    std::function<void(EventStore& store, const HttpRequest& request, const Responder& respond)>;

// A route that needs the store: while there is none yet the client is told to come back.
RouteHandler with_store(const StoreSlot& slot, StoreHandler handle);

// nullopt when whoever asks may touch streams of this category.
std::optional<Problem> check_category(const HttpRequest& request, std::string_view category);

// The same for a question about many categories, none meaning all.
std::optional<Problem> check_categories(const HttpRequest& request,
                                        const std::vector<std::string>& categories);

// The media type of a header's value: "application/json; charset=utf-8" -> "application/json".
std::string_view media_type(std::string_view value);

// Whether the body is said to be of this media type.
bool has_content_type(const HttpRequest& request, std::string_view type);

// Whether the client would rather have one JSON text a line than one in all.
bool wants_lines(const HttpRequest& request);

// nullopt when the body is said to be Lua, and is not too large for a script.
std::optional<Problem> check_script(const HttpRequest& request);

// A page in a browser can send some types anywhere without being asked, so each path insists on its own.
Problem wrong_content_type(std::string_view wanted);

}  // namespace cairn::api
