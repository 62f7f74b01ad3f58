#include "api/serving/route_tools.h"

#include <string>
#include <utility>

#include "eventstore/event_store.h"
#include "eventstore/json/json_writer.h"
#include "upcasters/script/upcaster_script.h"

namespace cairn::api {

namespace {

constexpr std::string_view kLuaType = "text/x-lua";

}  // namespace

RequestOrigin origin_of(const HttpRequest& request) {
  return {.actor = request.token ? request.token->name : "", .request_id = std::string(request.id)};
}

RouteHandler with_store(const StoreSlot& slot, StoreHandler handle) {
  return [&slot, handle = std::move(handle)](const HttpRequest& request, const Responder& respond) {
    EventStore* store = slot.store();
    if (store == nullptr) {
      respond(not_yet("The store is being recovered.").to_response());
      return;
    }
    handle(*store, request, respond);
  };
}

HttpResponse to_response(Answered<HttpResponse> answer) {
  return answer ? *std::move(answer) : answer.error().to_response();
}

Answered<void> check_category(const HttpRequest& request, std::string_view category) {
  if (request.token == nullptr || request.token->may_touch(category)) return {};
  return forbidden("The token '" + request.token->name + "' does not reach the category '" +
                   std::string(category) + "'.");
}

Answered<void> check_categories(const HttpRequest& request, const std::vector<std::string>& categories) {
  if (request.token == nullptr || !request.token->categories) return {};
  if (categories.empty()) {
    return forbidden("The token '" + request.token->name +
                     "' does not reach all categories; name those wanted with category=.");
  }
  for (const std::string& category : categories) CAIRN_CHECK(check_category(request, category));
  return {};
}

std::string_view media_type(std::string_view value) {
  value = value.substr(0, value.find(';'));
  while (!value.empty() && value.back() == ' ') value.remove_suffix(1);
  return value;
}

bool has_content_type(const HttpRequest& request, std::string_view type) {
  return same_header_name(media_type(request.header("Content-Type").value_or("")), type);
}

bool wants_lines(const HttpRequest& request) {
  return request.header("Accept").value_or("").find("application/x-ndjson") != std::string_view::npos;
}

Answered<void> check_script(const HttpRequest& request) {
  if (!has_content_type(request, kLuaType)) return wrong_content_type(kLuaType);
  if (request.body.size() > kScriptBytesMax) return too_large("The script", kScriptBytesMax);
  return {};
}

std::string named_json(std::string_view name, std::string_view json) {
  return json_object([&](JsonWriter& line) { line.raw(name, json); });
}

Problem wrong_content_type(std::string_view wanted) {
  return {415, "unsupported-media-type", "Unsupported media type",
          "Send the body as " + std::string(wanted) + "."};
}

}  // namespace cairn::api
