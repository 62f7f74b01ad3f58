#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/http/http_message.h"
#include "eventstore/base/result.h"

namespace cairn::api {

// The format of errors that the clients of a path expect.
enum class Dialect {
  kProblem,         // application/problem+json
  kSchemaRegistry,  // {"error_code":404,"message":"…"}, as Confluent's Schema Registry has it
};

// An error as clients get it: application/problem+json (RFC 9457). The slug is stable, because programs act
// on it; title and detail are for people and may change.
class Problem {
 public:
  // REQUIRES: `slug` is a constant of this program. `detail` may quote the client, and need not be UTF-8.
  Problem(int status, std::string_view slug, std::string_view title, std::string detail);

  // Adds a member, behind those added before. REQUIRES: `name` is a constant and needs no escapes in JSON.
  Problem& with(std::string_view name, std::string_view value);
  Problem& with(std::string_view name, std::uint64_t value);

  // Adds Retry-After.
  Problem& retry_after(std::chrono::seconds delay);

  // Adds a member whose value is JSON text.
  Problem& with_json(std::string_view name, std::string json);

  // Adds WWW-Authenticate.
  Problem& authenticate();

  // Adds Allow, with the methods of the path.
  Problem& allow(std::string methods);

  // The error_code for clients of the schema registry; without one it is the status. Only a problem with a
  // code has its members in that dialect too, because older clients fail on members that they do not know.
  Problem& registry_code(int code);

  int status() const { return status_; }
  const std::string& slug() const { return slug_; }
  const std::string& detail() const { return detail_; }

  std::string to_json() const;
  HttpResponse to_response(Dialect dialect = Dialect::kProblem) const;

 private:
  int status_;
  int registry_code_ = 0;
  std::string slug_;
  std::string title_;
  std::string detail_;
  std::vector<std::pair<std::string, std::string>> fields_;  // name, value as JSON text
  std::vector<std::pair<std::string, std::string>> headers_;
};

// The message of an error as a sentence, which is what a detail is: "stream 'order-1' is at version 1"
// becomes "Stream 'order-1' is at version 1.". A first word that may be a name (x.lua: …) stays as it is.
std::string sentence(std::string message);

// A value, or the problem that the client is told instead.
template <typename T>
using Answered = Result<T, Problem>;

Problem invalid_request(std::string detail, std::string_view field);

// 401: the request carries no token that this server knows.
Problem unauthorized();

// 401: the ticket is not valid for this request. `detail` does not have the ticket.
Problem wrong_ticket(std::string detail);

// 403: this client, or any client, may not do this.
Problem forbidden(std::string detail);

Problem not_found(std::string_view kind, std::string_view name);
Problem too_large(std::string_view what, std::uint64_t limit);
Problem overloaded(std::string detail);

// 429: this client has its share of a resource that is nearly used up; others are still served.
Problem too_many_requests(std::string detail);

// 503: the resource is not available yet; the client should try again.
Problem not_yet(std::string detail);

// 500. The reason is only in the server's log, because it may contain paths and payloads.
Problem internal_error();

// The reason phrase of a status line: 404 -> "Not Found".
std::string_view reason_phrase(int status);

}  // namespace cairn::api
