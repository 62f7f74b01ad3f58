#include "api/http_codec.h"

#include <httplib.h>
#include <spdlog/spdlog.h>

#include <cstring>
#include <utility>

#include "api/problem.h"

namespace cairn::api {

namespace {

// A request to read from and a response to write to, both in memory.
class MemoryStream final : public httplib::Stream {
 public:
  explicit MemoryStream(std::string_view input) : input_(input) {}

  bool is_readable() const override { return !input_.empty(); }
  bool is_writable() const override { return true; }
  ssize_t read(char* to, std::size_t size) override {
    size = std::min(size, input_.size());
    std::memcpy(to, input_.data(), size);
    input_.remove_prefix(size);
    return static_cast<ssize_t>(size);
  }
  ssize_t write(const char* from, std::size_t size) override {
    output_.append(from, size);
    return static_cast<ssize_t>(size);
  }
  void get_remote_ip_and_port(std::string&, int&) const override {}
  void get_local_ip_and_port(std::string&, int&) const override {}
  socket_t socket() const override { return 0; }

  std::string take_output() { return std::move(output_); }

 private:
  std::string_view input_;
  std::string output_;
};

HttpResponse caught_exception(const std::exception_ptr& exception) {
  try {
    std::rethrow_exception(exception);
  } catch (const std::exception& error) {
    spdlog::error("A request failed with an exception: {}", error.what());
  } catch (...) {
    spdlog::error("A request failed with an unknown exception.");
  }
  return internal_error().to_response();
}

void copy_to(HttpResponse from, httplib::Response& to) {
  to.status = from.status;
  to.body = std::move(from.body);
  if (!from.content_type.empty()) to.set_header("Content-Type", from.content_type);
  for (auto& [name, value] : from.headers) to.set_header(name, value);
}

}  // namespace

// What the library is given is only the request line. The headers stay with us because they would make it
// decode percent signs in their values, answer ranges, compress with brotli at its slowest level, or trust a
// client's REMOTE_ADDR; the body because the library would copy it and try to read forms from it.
class HttpCodec::Server final : public httplib::Server {
 public:
  Server() {
    set_pre_routing_handler([this](const httplib::Request& request, httplib::Response& response) {
      return route(request, response);
    });
    set_exception_handler(
        [](const httplib::Request&, httplib::Response& response, std::exception_ptr exception) {
          copy_to(caught_exception(exception), response);
        });
    // What the library refuses by itself has a status and no body.
    set_error_handler([](const httplib::Request&, httplib::Response& response) {
      if (!response.body.empty()) return;
      const Problem problem(response.status, "invalid-request", "The request is not valid",
                            "The target is malformed.");
      copy_to(problem.to_response(), response);
    });
    // The library speaks for its own connection handling here, not for ours.
    set_post_routing_handler([](const httplib::Request&, httplib::Response& response) {
      response.headers.erase("Keep-Alive");
      response.headers.erase("Accept-Ranges");
    });
    set_default_headers({{"Cache-Control", "no-store"}, {"X-Content-Type-Options", "nosniff"}});
  }

  std::optional<std::string> run(const RequestHead& head, std::string_view body, KeepAlive keep_alive,
                                 const Answer& answer) {
    head_ = &head;
    body_ = body;
    answer_ = &answer;
    answered_ = true;

    std::string request_line;
    request_line.reserve(head.method.size() + head.target.size() + 16);
    request_line.append(head.method).append(" ").append(head.target).append(" HTTP/1.1\r\n\r\n");
    MemoryStream stream(request_line);
    bool connection_closed = false;
    process_request(stream, keep_alive == KeepAlive::kNo, connection_closed, nullptr);
    if (!answered_) return std::nullopt;
    return stream.take_output();
  }

 private:
  HandlerResponse route(const httplib::Request& request, httplib::Response& response) {
    HttpRequest ours;
    ours.method = head_->method;
    ours.path = head_->target.substr(0, head_->target.find('?'));
    ours.query.insert(request.params.begin(), request.params.end());
    ours.headers = head_->headers;
    ours.body = body_;
    auto answer = (*answer_)(std::move(ours));
    answered_ = answer.has_value();
    if (answer) {
      copy_to(*std::move(answer), response);
    } else {
      response.status = 204;  // Thrown away: nothing was answered yet.
    }
    return HandlerResponse::Handled;
  }

  const RequestHead* head_ = nullptr;
  std::string_view body_;
  const Answer* answer_ = nullptr;
  bool answered_ = true;
};

HttpCodec::HttpCodec() : server_(std::make_unique<Server>()) {}
HttpCodec::~HttpCodec() = default;

std::optional<std::string> HttpCodec::run(const RequestHead& head, std::string_view body,
                                          KeepAlive keep_alive, const Answer& answer) {
  return server_->run(head, body, keep_alive, answer);
}

std::string HttpCodec::refusal(const Problem& problem) {
  const HttpResponse response = problem.to_response();
  std::string bytes =
      "HTTP/1.1 " + std::to_string(response.status) + " " + std::string(reason_phrase(response.status)) +
      "\r\nContent-Type: " + response.content_type +
      "\r\nContent-Length: " + std::to_string(response.body.size()) + "\r\nConnection: close\r\n";
  for (const auto& [name, value] : response.headers) bytes += name + ": " + value + "\r\n";
  return bytes + "\r\n" + response.body;
}

}  // namespace cairn::api
