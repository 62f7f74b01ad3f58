#include "api/net/http_codec.h"

#include <httplib.h>
#include <spdlog/spdlog.h>

#include <cstring>
#include <utility>

#include "api/http/problem.h"

#ifdef __SANITIZE_THREAD__
// The packaged library is not compiled for the thread sanitizer, which then misses that the C++ runtime
// guards the function-local statics of its request parser.
extern "C" const char* __tsan_default_suppressions() { return "race:libcpp-httplib.so\n"; }
#endif

namespace cairn::api {

namespace {

// A request to read from; what the library would answer goes nowhere.
class RequestStream final : public httplib::Stream {
 public:
  explicit RequestStream(std::string_view input) : input_(input) {}

  bool is_readable() const override { return !input_.empty(); }
  bool is_writable() const override { return true; }
  ssize_t read(char* to, std::size_t size) override {
    size = std::min(size, input_.size());
    std::memcpy(to, input_.data(), size);
    input_.remove_prefix(size);
    return static_cast<ssize_t>(size);
  }
  ssize_t write(const char*, std::size_t size) override { return static_cast<ssize_t>(size); }
  void get_remote_ip_and_port(std::string&, int&) const override {}
  void get_local_ip_and_port(std::string&, int&) const override {}
  socket_t socket() const override { return 0; }

 private:
  std::string_view input_;
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

}  // namespace

// What the library is given is only the request line. The headers stay with us because they would make it
// decode percent signs in their values, answer ranges, compress with brotli at its slowest level, or trust a
// client's REMOTE_ADDR; the body because the library would copy it and try to read forms from it. Its answer
// is not used either: ours may come later, or never end.
class HttpCodec::Server final : public httplib::Server {
 public:
  Server() {
    set_pre_routing_handler([this](const httplib::Request& request, httplib::Response& response) {
      return route(request, response);
    });
    set_exception_handler([this](const httplib::Request&, httplib::Response&, std::exception_ptr exception) {
      outcome_ = caught_exception(exception);
    });
  }

  std::optional<HttpResponse> run(const RequestHead& head, std::string_view body, const Answer& answer) {
    head_ = &head;
    body_ = body;
    answer_ = &answer;
    if (head.target.find('?') == std::string_view::npos) return run_without_query();
    outcome_.reset();
    refused_ = true;

    request_line_.assign(head.method).append(" ").append(head.target).append(" HTTP/1.1\r\n\r\n");
    RequestStream stream(request_line_);
    bool connection_closed = false;
    process_request(stream, false, connection_closed, nullptr);
    // What the library refuses by itself never comes to route().
    if (refused_) return invalid_request("The target is malformed.", "target").to_response();
    return std::move(outcome_);
  }

 private:
  // Nothing is left for the library to read: appends come this way, and are spared a third of the work.
  std::optional<HttpResponse> run_without_query() {
    try {
      return (*answer_)(request());
    } catch (...) {
      return caught_exception(std::current_exception());
    }
  }

  HttpRequest request() const {
    HttpRequest ours;
    ours.method = head_->method;
    ours.path = head_->target.substr(0, head_->target.find('?'));
    ours.headers = head_->headers;
    ours.body = body_;
    return ours;
  }

  HandlerResponse route(const httplib::Request& theirs, httplib::Response& response) {
    refused_ = false;
    HttpRequest ours = request();
    ours.query.insert(theirs.params.begin(), theirs.params.end());
    outcome_ = (*answer_)(std::move(ours));
    response.status = 204;
    return HandlerResponse::Handled;
  }

  const RequestHead* head_ = nullptr;
  std::string_view body_;
  const Answer* answer_ = nullptr;
  std::string request_line_;
  std::optional<HttpResponse> outcome_;
  bool refused_ = false;
};

HttpCodec::HttpCodec() : server_(std::make_unique<Server>()) {}
HttpCodec::~HttpCodec() = default;

std::optional<HttpResponse> HttpCodec::run(const RequestHead& head, std::string_view body,
                                           const Answer& answer) {
  return server_->run(head, body, answer);
}

}  // namespace cairn::api
