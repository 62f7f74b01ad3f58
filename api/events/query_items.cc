#include "api/events/query_items.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "api/serving/route_tools.h"
#include "eventstore/base/limits.h"
#include "eventstore/types.h"

namespace cairn::api {

namespace {

Answered<void> expect_kind(const JsonCursor& cursor, JsonKind kind, const std::string& field) {
  if (cursor.kind() == kind) return {};
  return wrong_field(field, fmt::format("must be {}, not {}", to_string(kind), to_string(cursor.kind())));
}

Problem too_many_of(const std::string& field, const std::string& what, std::size_t limit) {
  return Problem(413, "too-large", "Too large", fmt::format("{} has more than {} {}.", field, limit, what))
      .with("limit", limit);
}

Answered<void> read_names(JsonCursor& cursor, const std::string& field, std::vector<std::string>& names) {
  constexpr std::size_t kNameBytesMax =
      std::max({limits::kTypeNameBytesMax, limits::kTagBytesMax, limits::kStreamNameBytesMax});
  CAIRN_CHECK(expect_kind(cursor, JsonKind::kArray, field));
  cursor.enter_array();
  for (std::size_t at = 0; cursor.next_element(); ++at) {
    const std::string element = fmt::format("{}[{}]", field, at);
    CAIRN_CHECK(expect_kind(cursor, JsonKind::kString, element));
    std::string name = cursor.take_string();
    if (name.empty()) return wrong_field(element, "is empty");
    if (name.size() > kNameBytesMax)
      return wrong_field(
          element, fmt::format("has {} bytes, and no name has more than {}", name.size(), kNameBytesMax));
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(std::move(name));
    if (names.size() > limits::kItemTermsMax) return too_many_of(field, "names", limits::kItemTermsMax);
  }
  return {};
}

Answered<EventFilter> read_item(JsonCursor& cursor, const std::string& field) {
  CAIRN_CHECK(expect_kind(cursor, JsonKind::kObject, field));
  cursor.enter_object();
  EventFilter item;
  while (const auto name = cursor.next_name()) {
    std::vector<std::string>* const names = *name == "types"        ? &item.types
                                            : *name == "tags"       ? &item.tags
                                            : *name == "categories" ? &item.categories
                                                                    : nullptr;
    const std::string member = field + "." + std::string(*name);
    if (names == nullptr) return wrong_field(member, "is not a field of an item: types, tags or categories");
    CAIRN_CHECK(read_names(cursor, member, *names));
  }
  if (item.types.size() + item.tags.size() + item.categories.size() > limits::kItemTermsMax)
    return too_many_of(field, "types, tags and categories", limits::kItemTermsMax);
  item.system = std::any_of(item.categories.begin(), item.categories.end(),
                            [](const std::string& category) { return is_system_stream(category); });
  return item;
}

std::size_t bytes_of(const EventFilter& item) {
  std::size_t bytes = 0;
  for (const auto* names : {&item.types, &item.tags, &item.categories}) {
    for (const std::string& name : *names) bytes += name.size();
  }
  return bytes;
}

}  // namespace

Problem wrong_field(const std::string& field, const std::string& what) {
  return invalid_request(field + " " + what + ".", field);
}

Answered<EventQuery> read_items(JsonCursor& cursor, const std::string& field) {
  CAIRN_CHECK(expect_kind(cursor, JsonKind::kArray, field));
  cursor.enter_array();
  EventQuery items;
  std::size_t bytes = 0;
  while (cursor.next_element()) {
    if (items.size() == limits::kQueryItemsMax) return too_many_of(field, "items", limits::kQueryItemsMax);
    CAIRN_TRY(items.emplace_back(), read_item(cursor, fmt::format("{}[{}]", field, items.size())));
    bytes += bytes_of(items.back());
    if (bytes > limits::kQueryNameBytesMax)
      return too_many_of(field, "bytes of names", limits::kQueryNameBytesMax);
  }
  if (items.empty()) items.push_back({.system = false});
  return items;
}

Answered<EventQuery> read_query(JsonCursor& cursor, const std::string& at) {
  CAIRN_CHECK(expect_kind(cursor, JsonKind::kObject, at));
  cursor.enter_object();
  std::optional<EventQuery> items;
  while (const auto name = cursor.next_name()) {
    const std::string member = at + "." + std::string(*name);
    if (*name != "items") return wrong_field(member, "is not a field of a query: items");
    CAIRN_TRY(items, read_items(cursor, member));
  }
  if (!items) return wrong_field(at + ".items", "is missing");
  return *std::move(items);
}

Answered<void> check_items(const HttpRequest& request, const EventQuery& items) {
  if (request.token == nullptr || !request.token->categories) return {};
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (items[i].categories.empty()) {
      return forbidden(
          fmt::format("The token '{}' does not reach all categories; name those wanted in "
                      "items[{}].categories.",
                      request.token->name, i));
    }
    CAIRN_CHECK(check_categories(request, items[i].categories));
  }
  return {};
}

EventQuery stored_items(const EventShapes& shapes, EventQuery items, Shape shape) {
  for (EventFilter& item : items) item.types = shapes.stored_types(item.types, shape);
  return items;
}

}  // namespace cairn::api
