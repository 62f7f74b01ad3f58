#include "api/http/http_render.h"

#include <array>
#include <charconv>

#include "eventstore/base/assert.h"

namespace cairn::api {

namespace {

void append_header(std::string& to, std::string_view name, std::string_view value) {
  to.append(name).append(": ").append(value).append("\r\n");
}

// All of the head but the header that tells the length of the body.
std::string begin_head(const HttpResponse& response, KeepAlive keep_alive) {
  std::string bytes;
  bytes.reserve(256 + response.body.size());
  bytes.append("HTTP/1.1 ").append(std::to_string(response.status)).append(" ");
  bytes.append(reason_phrase(response.status)).append("\r\n");
  if (!response.content_type.empty()) append_header(bytes, "Content-Type", response.content_type);
  append_header(bytes, "Connection", keep_alive == KeepAlive::kYes ? "keep-alive" : "close");
  append_header(bytes, "Cache-Control", "no-store");
  append_header(bytes, "X-Content-Type-Options", "nosniff");
  for (const auto& [name, value] : response.headers) append_header(bytes, name, value);
  return bytes;
}

}  // namespace

std::string render(const HttpResponse& response, KeepAlive keep_alive, BodyForm form) {
  std::string bytes = begin_head(response, keep_alive);
  const bool whole = form == BodyForm::kWhole || form == BodyForm::kNone;
  // The length of a body that is made while it is sent is not known, and HEAD does not send it.
  if (whole && !response.stream) append_header(bytes, "Content-Length", std::to_string(response.body.size()));
  if (form == BodyForm::kChunked) append_header(bytes, "Transfer-Encoding", "chunked");
  bytes += "\r\n";
  if (form == BodyForm::kWhole) bytes += response.body;
  return bytes;
}

std::string render_head(const HttpResponse& response, KeepAlive keep_alive, std::size_t body_bytes) {
  std::string bytes = begin_head(response, keep_alive);
  append_header(bytes, "Content-Length", std::to_string(body_bytes));
  return bytes + "\r\n";
}

void append_chunk(std::string& to, std::string_view bytes) {
  CAIRN_ASSERT(!bytes.empty());
  std::array<char, 20> size{};
  const auto end = std::to_chars(size.begin(), size.end(), bytes.size(), 16).ptr;
  to.append(size.begin(), end).append("\r\n").append(bytes).append("\r\n");
}

std::string render_refusal(const Problem& problem, Dialect dialect) {
  return render(problem.to_response(dialect), KeepAlive::kNo, BodyForm::kWhole);
}

}  // namespace cairn::api
