#pragma once

#include <string>
#include <string_view>

#include "api/http/http_message.h"
#include "api/http/problem.h"

namespace cairn::api {

enum class KeepAlive { kNo, kYes };

// How the body of an answer goes over the wire.
enum class BodyForm {
  kWhole,
  kNone,        // an answer to HEAD: the headers speak of a body that is not sent
  kChunked,     // follows, in append_chunk() pieces and kLastChunk
  kUntilClose,  // follows, and ends with the connection: for clients that know no chunks
};

// The bytes of an answer: status line, headers and, when it is whole, the body.
std::string render(const HttpResponse& response, KeepAlive keep_alive, BodyForm form);

// The head alone of an answer whose body of `body_bytes` is sent after it.
std::string render_head(const HttpResponse& response, KeepAlive keep_alive, std::size_t body_bytes);

// Appends `bytes` as one chunk. REQUIRES: `bytes` is not empty; that would be the end.
void append_chunk(std::string& to, std::string_view bytes);
inline constexpr std::string_view kLastChunk = "0\r\n\r\n";

// The bytes of a refusal, for requests that are not even well-formed. The connection is closed after them.
std::string render_refusal(const Problem& problem, Dialect dialect = Dialect::kProblem);

}  // namespace cairn::api
