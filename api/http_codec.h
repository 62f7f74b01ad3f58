#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "api/http_message.h"
#include "api/request_head.h"

namespace cairn::api {

enum class KeepAlive { kNo, kYes };

// Turns a received request into an HttpRequest and an HttpResponse into bytes, with cpp-httplib on an
// in-memory stream. The library never sees a socket, a body or a header that could steer it; see
// http_codec.cc for which and why.
//
// One for each connection, because the library's handlers cannot tell whose request they are given. One
// thread at a time.
class HttpCodec {
 public:
  // Returns the answer, or nullopt when it will come later.
  using Answer = std::function<std::optional<HttpResponse>(HttpRequest request)>;

  HttpCodec();
  ~HttpCodec();
  HttpCodec(const HttpCodec&) = delete;
  HttpCodec& operator=(const HttpCodec&) = delete;

  // Gives the request to `answer` and returns the bytes of what it answered; nullopt when it has not answered
  // yet. Then run() is called again with an `answer` that has it. An exception from `answer` becomes an
  // internal error.
  std::optional<std::string> run(const RequestHead& head, std::string_view body, KeepAlive keep_alive,
                                 const Answer& answer);

  // The bytes of a refusal, for requests that are not even well-formed. The connection is closed after them.
  static std::string refusal(const Problem& problem);

 private:
  class Server;
  std::unique_ptr<Server> server_;
};

}  // namespace cairn::api
