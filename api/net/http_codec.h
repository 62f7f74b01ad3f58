#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "api/http/http_message.h"
#include "api/http/request_head.h"

namespace cairn::api {

// Has cpp-httplib make sense of a received request, on an in-memory stream. The library never sees a socket,
// a body or a header that could steer it; see http_codec.cc for which and why.
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

  // Gives the request to `answer` and returns what it answered. An exception from `answer` becomes an
  // internal error.
  std::optional<HttpResponse> run(const RequestHead& head, std::string_view body, const Answer& answer);

 private:
  class Server;
  std::unique_ptr<Server> server_;
};

}  // namespace cairn::api
