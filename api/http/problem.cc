#include "api/http/problem.h"

#include <fmt/format.h>

#include "eventstore/json/json_text.h"
#include "eventstore/json/json_writer.h"

namespace cairn::api {

namespace {

constexpr std::chrono::seconds kRetrySoon{1};

}  // namespace

Problem::Problem(int status, std::string_view slug, std::string_view title, std::string detail)
    : status_(status), slug_(slug), title_(title), detail_(std::move(detail)) {}

Problem& Problem::with(std::string_view name, std::string_view value) {
  std::string json;
  append_json_string(json, value);
  fields_.emplace_back(name, std::move(json));
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
  std::string text;
  JsonWriter json(text);
  json.begin_object();
  json.text("type", "/problems/" + slug_);
  json.text("title", title_);
  json.number("status", static_cast<std::uint64_t>(status_));
  json.text("detail", detail_);
  for (const auto& [name, value] : fields_) json.raw(name, value);
  json.end_object();
  return text;
}

HttpResponse Problem::to_response(Dialect dialect) const {
  HttpResponse response;
  response.status = status_;
  response.headers = headers_;
  if (dialect == Dialect::kProblem) {
    response.content_type = "application/problem+json";
    response.body = to_json();
    return response;
  }
  response.content_type = "application/vnd.schemaregistry.v1+json";
  JsonWriter json(response.body);
  json.begin_object();
  json.number("error_code", static_cast<std::uint64_t>(registry_code_ == 0 ? status_ : registry_code_));
  json.text("message", detail_);
  if (registry_code_ != 0) {
    for (const auto& [name, value] : fields_) json.raw(name, value);
  }
  json.end_object();
  return response;
}

std::string sentence(std::string message) {
  if (message.empty()) return message;
  const std::size_t end = message.find_first_not_of("abcdefghijklmnopqrstuvwxyz");
  if (end != 0 && end != std::string::npos && message[end] == ' ') {
    message.front() = static_cast<char>(message.front() - 'a' + 'A');
  }
  if (message.back() != '.' && message.back() != '?') message += '.';
  return message;
}

Problem invalid_request(std::string detail, std::string_view field) {
  return Problem(400, "invalid-request", "The request is not valid", std::move(detail)).with("field", field);
}

Problem unauthorized() {
  return Problem(401, "unauthorized", "A token is needed",
                 "Send a token of this server: Authorization: Bearer TOKEN.")
      .authenticate();
}

Problem wrong_ticket(std::string detail) {
  return Problem(401, "unauthorized", "The ticket is not valid", std::move(detail)).authenticate();
}

Problem forbidden(std::string detail) { return {403, "forbidden", "Not allowed", std::move(detail)}; }

Problem not_found(std::string_view kind, std::string_view name) {
  const std::string quoted = "'" + std::string(name) + "'.";
  std::string detail = "There is no " + std::string(kind) + " " + quoted;
  if (kind == "parked") {
    detail = "Nothing is parked for " + quoted;
  } else if (kind == "snapshot" || kind == "verification" || kind == "redrive" || kind == "upcaster") {
    // These are named after what they belong to.
    detail = "There is no " + std::string(kind) + " of " + quoted;
  }
  return Problem(404, "not-found", "Not found", std::move(detail)).with("kind", kind).with("name", name);
}

Problem too_large(std::string_view what, std::uint64_t limit) {
  return Problem(413, "too-large", "Too large", fmt::format("{} is larger than {} bytes.", what, limit))
      .with("limit", limit);
}

Problem overloaded(std::string detail) {
  return Problem(503, "overloaded", "The server is busy", std::move(detail)).retry_after(kRetrySoon);
}

Problem too_many_requests(std::string detail) {
  return Problem(429, "too-many-requests", "Too many requests", std::move(detail)).retry_after(kRetrySoon);
}

Problem not_yet(std::string detail) {
  return Problem(503, "not-yet", "Not yet", std::move(detail)).retry_after(kRetrySoon);
}

Problem internal_error() {
  return {500, "internal-error", "Internal error", "The server's log has the reason."};
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
    case 429:
      return "Too Many Requests";
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
