#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/http/http_message.h"

namespace cairn::api {

// The language a client of a path speaks. It decides how errors are told.
enum class Dialect {
  kProblem,         // application/problem+json
  kSchemaRegistry,  // {"error_code":404,"message":"…"}: what clients of schema registries look for
};

// An error as clients get it: application/problem+json (RFC 9457). The slug is a promise, programs decide by
// it; title and detail are for people and may change.
class Problem {
 public:
  // REQUIRES: `slug` and `title` come from this program. `detail` may quote the client.
  Problem(int status, std::string_view slug, std::string_view title, std::string detail);

  // Extra fields, in the order they were added.
  Problem& with(std::string_view name, std::string_view value);
  Problem& with(std::string_view name, std::uint64_t value);

  // Tells the client when to come back.
  Problem& retry_after(std::chrono::seconds delay);

  // The value is JSON text already.
  Problem& with_json(std::string_view name, std::string json);

  // Tells the client how to say who it is.
  Problem& authenticate();

  // Tells the client which methods the path has.
  Problem& allow(std::string methods);

  // How clients of schema registries know it. In their dialect it then has its extra fields as well, which
  // other problems leave out: older clients fail on them.
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

Problem invalid_request(std::string detail, std::string_view field);

// The client has not said who it is.
Problem unauthorized();

// The client, or everybody, may not do this.
Problem forbidden(std::string detail);

Problem not_found(std::string_view kind, std::string_view name);
Problem too_large(std::string_view what, std::uint64_t limit);
Problem overloaded(std::string detail);

// What is wanted will be there, but is not yet.
Problem not_yet(std::string detail);

// A mistake of ours. The reason stays in the server's log: it may hold paths and payloads.
Problem internal_error();

// The reason phrase of a status line: 404 -> "Not Found".
std::string_view reason_phrase(int status);

}  // namespace cairn::api
