#include "api/events/query_body.h"

#include <fmt/format.h>

#include <limits>
#include <string>
#include <utility>

#include "api/events/query_items.h"
#include "eventstore/json/json_check.h"
#include "eventstore/json/json_cursor.h"

namespace cairn::api {

namespace {

Answered<std::uint64_t> read_number(JsonCursor& cursor, const std::string& field) {
  const auto number =
      cursor.kind() == JsonKind::kNumber ? json_whole_number(cursor.take_raw()) : std::nullopt;
  if (!number || *number == 0) return wrong_field(field, "must be a whole number from 1 on");
  return *number;
}

// "latest", "stored", or the number of a version.
Answered<Shape> read_shape(JsonCursor& cursor) {
  if (cursor.kind() == JsonKind::kNumber) {
    const auto version = json_whole_number(cursor.take_raw());
    if (version && *version > 0 && *version <= std::numeric_limits<std::int32_t>::max())
      return Shape::of_version(static_cast<std::uint32_t>(*version));
  } else if (cursor.kind() == JsonKind::kString) {
    const std::string word = cursor.take_string();
    if (word == "latest") return Shape::latest();
    if (word == "stored") return Shape::stored();
  }
  return wrong_field("shape", "must be \"latest\", \"stored\" or the number of a version");
}

Answered<Direction> read_direction(JsonCursor& cursor) {
  const std::string word = cursor.kind() == JsonKind::kString ? cursor.take_string() : "";
  if (word == "forward") return Direction::kForward;
  if (word == "backward") return Direction::kBackward;
  return wrong_field("direction", "must be \"forward\" or \"backward\"");
}

}  // namespace

Answered<QueryBody> parse_query_body(std::string_view body) {
  if (const auto fault = check_json(body)) {
    return invalid_request(
        fmt::format("The body is not valid JSON: {}, at byte {}.", fault->message, fault->offset), "body");
  }
  JsonCursor cursor(body);
  if (cursor.kind() != JsonKind::kObject) {
    return invalid_request(
        fmt::format("The body must be {}, not {}.", to_string(JsonKind::kObject), to_string(cursor.kind())),
        "body");
  }
  cursor.enter_object();
  QueryBody query;
  while (const auto name = cursor.next_name()) {
    if (*name == "items") {
      CAIRN_TRY(query.items, read_items(cursor, "items"));
    } else if (*name == "from") {
      CAIRN_TRY(const std::uint64_t position, read_number(cursor, "from"));
      query.from = GlobalPosition{position};
    } else if (*name == "until") {
      CAIRN_TRY(const std::uint64_t position, read_number(cursor, "until"));
      query.until = GlobalPosition{position};
    } else if (*name == "limit") {
      CAIRN_TRY(query.limit, read_number(cursor, "limit"));
    } else if (*name == "direction") {
      CAIRN_TRY(query.direction, read_direction(cursor));
    } else if (*name == "shape") {
      CAIRN_TRY(query.shape, read_shape(cursor));
    } else {
      return wrong_field(std::string(*name), "is not a field of a query");
    }
  }
  if (query.items.empty()) return wrong_field("items", "is missing");
  return query;
}

}  // namespace cairn::api
