#pragma once

#include <string>
#include <string_view>

#include "api/http/http_message.h"
#include "api/http/problem.h"

namespace cairn::api {

enum class KeepAlive { kNo, kYes };

// How the body of an answer is sent.
enum class BodyForm {
  kWhole,
  kNone,        // an answer to HEAD: the headers describe a body that is not sent
  kChunked,     // sent after the head, in append_chunk() pieces and kLastChunk
  kUntilClose,  // sent after the head, and ends with the connection: for HTTP/1.0, which has no chunks
};

// The bytes of an answer: status line, headers and, with kWhole, the body.
std::string render(const HttpResponse& response, KeepAlive keep_alive, BodyForm form);

// Status line and headers of an answer whose body of `body_bytes` is sent separately.
std::string render_head(const HttpResponse& response, KeepAlive keep_alive, std::size_t body_bytes);

// Appends `bytes` as one chunk. REQUIRES: `bytes` is not empty: an empty chunk ends the body.
void append_chunk(std::string& to, std::string_view bytes);
inline constexpr std::string_view kLastChunk = "0\r\n\r\n";

// The bytes of an answer after which the connection is closed, for requests that are refused before routing.
std::string render_refusal(const Problem& problem, Dialect dialect = Dialect::kProblem);

}  // namespace cairn::api
