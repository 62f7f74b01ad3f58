#pragma once

#include <string>

#include "api/http/http_message.h"
#include "api/http/problem.h"
#include "eventstore/event_filter.h"
#include "eventstore/json/json_cursor.h"
#include "upcasters/event_shapes.h"

namespace cairn::api {

// Reads {"items":[{"types":[…],"tags":[…],"categories":[…]}, …]} at the cursor. Events of system streams are left
// out by items that do not name their category; no items, and an item without lists, select all others. Fails with
// "invalid-request" or "too-large", which name the field behind `at`. Pure.
Answered<EventQuery> read_query(JsonCursor& cursor, const std::string& at);

// The same for the value of "items".
Answered<EventQuery> read_items(JsonCursor& cursor, const std::string& field);

// "invalid-request", which names the field.
Problem wrong_field(const std::string& field, const std::string& what);

// Fails with 403 when the token reaches certain categories only, and an item names none or another one.
Answered<void> check_items(const HttpRequest& request, const EventQuery& items);

// The items with the types of stored events that become those that the client names.
EventQuery stored_items(const EventShapes& shapes, EventQuery items, Shape shape);

}  // namespace cairn::api
