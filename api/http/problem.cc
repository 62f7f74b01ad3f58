#include "api/http/problem.h"

#include <nlohmann/json.hpp>

namespace cairn::api {

namespace {

// Client text may be no UTF-8 at all; the answer always is.
std::string json_text(std::string_view text) {
  return nlohmann::json(std::string(text)).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

constexpr std::chrono::seconds kRetrySoon{1};

}  // namespace

Problem::Problem(int status, std::string_view slug, std::string_view title, std::string detail)
    : status_(status), slug_(slug), title_(title), detail_(std::move(detail)) {}

Problem& Problem::with(std::string_view name, std::string_view value) {
  fields_.emplace_back(name, json_text(value));
  return *this;
}

Problem& Problem::with(std::string_view name, std::uint64_t value) {
  fields_.emplace_back(name, std::to_string(value));
  return *this;
}

Problem& Problem::with_json(std::string_view name, std::string json) {
  fields_.emplace_back(name, std::move(json));
  return *this;
}

Problem& Problem::retry_after(std::chrono::seconds delay) {
  headers_.emplace_back("Retry-After", std::to_string(delay.count()));
  return *this;
}

Problem& Problem::authenticate() {
  headers_.emplace_back("WWW-Authenticate", "Bearer realm=\"cairn\"");
  return *this;
}

Problem& Problem::allow(std::string methods) {
  headers_.emplace_back("Allow", std::move(methods));
  return *this;
}

Problem& Problem::registry_code(int code) {
  registry_code_ = code;
  return *this;
}

std::string Problem::to_json() const {
  std::string json = R"({"type":"/problems/)" + slug_ + R"(","title":)" + json_text(title_) +
                     R"(,"status":)" + std::to_string(status_) + R"(,"detail":)" + json_text(detail_);
  for (const auto& [name, value] : fields_) json += "," + json_text(name) + ":" + value;
  json += "}";
  return json;
}

HttpResponse Problem::to_response(Dialect dialect) const {
  HttpResponse response;
  response.status = status_;
  response.headers = headers_;
  if (dialect == Dialect::kSchemaRegistry) {
    response.content_type = "application/vnd.schemaregistry.v1+json";
    response.body = R"({"error_code":)" + std::to_string(registry_code_ == 0 ? status_ : registry_code_) +
                    R"(,"message":)" + json_text(detail_);
    if (registry_code_ != 0) {
      for (const auto& [name, value] : fields_) response.body += "," + json_text(name) + ":" + value;
    }
    response.body += '}';
  } else {
    response.content_type = "application/problem+json";
    response.body = to_json();
  }
  return response;
}

Problem invalid_request(std::string detail, std::string_view field) {
  return Problem(400, "invalid-request", "The request is not valid", std::move(detail)).with("field", field);
}

Problem unauthorized() {
  return Problem(401, "unauthorized", "Who is asking?",
                 "Send a token of this server: Authorization: Bearer TOKEN.")
      .authenticate();
}

Problem forbidden(std::string detail) { return {403, "forbidden", "Not allowed", std::move(detail)}; }

Problem not_found(std::string_view kind, std::string_view name) {
  const std::string quoted = "'" + std::string(name) + "'.";
  std::string detail = "There is no " + std::string(kind) + " " + quoted;
  if (kind == "parked") {
    detail = "Nothing is parked for " + quoted;
  } else if (kind == "snapshot" || kind == "verification" || kind == "upcaster") {
    detail = "There is no " + std::string(kind) + " of " + quoted;  // These have no names of their own.
  }
  return Problem(404, "not-found", "Not found", std::move(detail)).with("kind", kind).with("name", name);
}

Problem too_large(std::string_view what, std::uint64_t limit) {
  std::string detail = std::string(what) + " is larger than " + std::to_string(limit) + " bytes.";
  return Problem(413, "too-large", "Too large", std::move(detail)).with("limit", limit);
}

Problem overloaded(std::string detail) {
  return Problem(503, "overloaded", "The server is busy", std::move(detail)).retry_after(kRetrySoon);
}

Problem not_yet(std::string detail) {
  return Problem(503, "not-yet", "Not yet", std::move(detail)).retry_after(kRetrySoon);
}

Problem internal_error() {
  return {500, "internal-error", "The server made a mistake", "The server's log has the reason."};
}

std::string_view reason_phrase(int status) {
  switch (status) {
    case 200:
      return "OK";
    case 201:
      return "Created";
    case 202:
      return "Accepted";
    case 204:
      return "No Content";
    case 400:
      return "Bad Request";
    case 401:
      return "Unauthorized";
    case 403:
      return "Forbidden";
    case 404:
      return "Not Found";
    case 405:
      return "Method Not Allowed";
    case 408:
      return "Request Timeout";
    case 406:
      return "Not Acceptable";
    case 409:
      return "Conflict";
    case 411:
      return "Length Required";
    case 413:
      return "Payload Too Large";
    case 414:
      return "URI Too Long";
    case 415:
      return "Unsupported Media Type";
    case 417:
      return "Expectation Failed";
    case 422:
      return "Unprocessable Entity";
    case 431:
      return "Request Header Fields Too Large";
    case 500:
      return "Internal Server Error";
    case 501:
      return "Not Implemented";
    case 503:
      return "Service Unavailable";
    case 505:
      return "HTTP Version Not Supported";
    case 507:
      return "Insufficient Storage";
    default:
      return "Error";
  }
}

}  // namespace cairn::api
