#include "api/client/client.h"

#include <httplib.h>
#include <openssl/asn1.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>

#include <chrono>
#include <ctime>
#include <memory>
#include <optional>

#include "api/client/line_splitter.h"
#include "api/client/server_url.h"
#include "eventstore/base/file.h"

namespace cairn::api {

namespace {

// Problems are small; an error page of another server is cut off here.
constexpr std::size_t kRefusalBytesMax = 1u << 20;

// How long a server that did not complete a TLS handshake is asked whether it speaks plain HTTP.
constexpr std::chrono::seconds kProbeTimeout{2};

std::string reason_of(httplib::Error error) {
  switch (error) {
    case httplib::Error::Connection:
      return "no server answers there";
    case httplib::Error::ConnectionTimeout:
      return "connecting took too long";
    case httplib::Error::Read:
      return "the connection was lost before the answer was complete";
    case httplib::Error::Write:
      return "the connection was lost before the request was sent";
    case httplib::Error::Canceled:
      return "the answer was cut short";
    case httplib::Error::SSLConnection:
      return "no TLS connection could be made";
    case httplib::Error::SSLLoadingCerts:
      return "the file of trusted certificate authorities cannot be used";
    case httplib::Error::SSLServerVerification:
      return "its certificate is not trusted, or is for another host";
    default:
      return "the request failed (" + httplib::to_string(error) + ")";
  }
}

// Whether the server may have received the request nevertheless.
bool may_have_arrived(httplib::Error error) {
  switch (error) {
    case httplib::Error::Connection:
    case httplib::Error::ConnectionTimeout:
    case httplib::Error::SSLConnection:
    case httplib::Error::SSLLoadingCerts:
    case httplib::Error::SSLServerVerification:
      return false;
    default:
      return true;
  }
}

using CertificateEnd = std::optional<Timestamp>;

std::optional<Timestamp> end_of(const X509* certificate) {
  std::tm time{};
  if (::ASN1_TIME_to_tm(::X509_get0_notAfter(certificate), &time) != 1) return std::nullopt;
  return Timestamp{static_cast<std::int64_t>(::timegm(&time)) * 1'000'000};
}

// cpp-httplib does not tell the certificate of a connection, so OpenSSL is asked at the end of a handshake.
void note_certificate(const SSL* ssl, int where, int) {
  if ((where & SSL_CB_HANDSHAKE_DONE) == 0) return;
  auto* end = static_cast<CertificateEnd*>(SSL_CTX_get_app_data(::SSL_get_SSL_CTX(ssl)));
  const std::unique_ptr<X509, void (*)(X509*)> certificate(::SSL_get1_peer_certificate(ssl), ::X509_free);
  if (certificate != nullptr) *end = end_of(certificate.get());
}

// REQUIRES: `end` outlives the connection.
std::unique_ptr<httplib::ClientImpl> connection_to(const ServerUrl& url, const ClientOptions& options,
                                                   CertificateEnd& end) {
  std::unique_ptr<httplib::ClientImpl> http;
  if (url.tls) {
    auto tls = std::make_unique<httplib::SSLClient>(url.host, url.port);
    SSL_CTX_set_app_data(tls->ssl_context(), &end);
    ::SSL_CTX_set_info_callback(tls->ssl_context(), note_certificate);
    http = std::move(tls);
    http->enable_server_certificate_verification(true);
    if (!options.ca_file.empty()) http->set_ca_cert_path(options.ca_file);
  } else {
    http = std::make_unique<httplib::ClientImpl>(url.host, url.port);
  }
  http->set_connection_timeout(options.connect_timeout);
  http->set_read_timeout(options.silence_timeout);
  http->set_write_timeout(options.silence_timeout);
  http->set_keep_alive(true);
  http->set_tcp_nodelay(true);
  http->set_url_encode(false);  // Paths come encoded.
  http->set_follow_location(false);
  return http;
}

}  // namespace

class Client::Connection {
 public:
  Connection(ServerUrl url, const ClientOptions& options)
      : http_(connection_to(url, options, certificate_end_)), url_(std::move(url)), shown_url_(options.url) {
    if (!options.token.empty()) headers_.emplace("Authorization", "Bearer " + options.token);
  }

  Result<Answer> get(const std::string& path) { return answer(http_->Get(url_.prefix + path, headers_)); }

  Result<Answer> post_json(const std::string& path, const std::string& body) {
    return answer(http_->Post(url_.prefix + path, headers_, body, "application/json"));
  }

  Result<Answer> put_json(const std::string& path, const std::string& body) {
    return answer(http_->Put(url_.prefix + path, headers_, body, "application/json"));
  }

  Result<Answer> put_text(const std::string& path, const std::string& body, const std::string& content_type) {
    return answer(http_->Put(url_.prefix + path, headers_, body, content_type));
  }

  Result<Answer> remove(const std::string& path) {
    return answer(http_->Delete(url_.prefix + path, headers_));
  }

  Result<Answer> get_lines(const std::string& path, const Headers& headers, const OnLine& on_line) {
    return lines(request("GET", path, headers), on_line);
  }

  Result<Answer> put_lines(const std::string& path, const Headers& headers, const std::string& body,
                           const std::string& content_type, const OnLine& on_line) {
    httplib::Request put = request("PUT", path, headers);
    put.set_header("Content-Type", content_type);
    put.body = body;
    return lines(std::move(put), on_line);
  }

  // POST without a body.
  Result<Answer> post_lines(const std::string& path, const Headers& headers, const OnLine& on_line) {
    httplib::Request post = request("POST", path, headers);
    post.set_header("Content-Type", "application/json");
    return lines(std::move(post), on_line);
  }

  void stop() { http_->stop(); }
  CertificateEnd certificate_end() const { return certificate_end_; }

 private:
  httplib::Request request(const char* method, const std::string& path, const Headers& headers) const {
    httplib::Request request;
    request.method = method;
    request.path = url_.prefix + path;
    request.headers = headers_;
    for (const auto& [name, value] : headers) request.headers.emplace(name, value);
    return request;
  }

  Result<Answer> lines(httplib::Request request, const OnLine& on_line) {
    Answer answer;
    LineSplitter splitter;
    bool stopped = false;
    const auto deliver = [&](std::string_view line) {
      stopped = on_line(line) == Next::kStop;
      return !stopped;
    };
    request.response_handler = [&](const httplib::Response& response) {
      answer.status = response.status;
      return true;
    };
    request.content_receiver = [&](const char* data, std::size_t size, std::uint64_t, std::uint64_t) {
      if (answer.ok()) return splitter.feed({data, size}, deliver);
      answer.body.append(data, size);
      return answer.body.size() <= kRefusalBytesMax;
    };
    const auto result = http_->send(request);
    if (stopped) return answer;
    if (!result) return unreachable(result.error());
    if (answer.ok() && !splitter.rest().empty()) deliver(splitter.rest());
    return answer;
  }

  Error unreachable(httplib::Error error) const {
    if (error == httplib::Error::SSLConnection && speaks_plain_http()) {
      return make_error(Errc::kIo,
                        shown_url_ + ": the server there speaks plain HTTP; use http:// instead of https://");
    }
    return make_error(may_have_arrived(error) ? Errc::kOutcomeUnknown : Errc::kIo,
                      shown_url_ + ": " + reason_of(error));
  }

  // Asks without the token.
  bool speaks_plain_http() const {
    httplib::ClientImpl plain(url_.host, url_.port);
    plain.set_connection_timeout(kProbeTimeout);
    plain.set_read_timeout(kProbeTimeout);
    return static_cast<bool>(plain.Get(url_.prefix + "/health"));
  }

  Result<Answer> answer(const httplib::Result& result) const {
    if (!result) return unreachable(result.error());
    return Answer{result->status, result->body};
  }

  CertificateEnd certificate_end_;
  std::unique_ptr<httplib::ClientImpl> http_;
  ServerUrl url_;
  std::string shown_url_;
  httplib::Headers headers_;
};

Result<Client> Client::make(const ClientOptions& options) {
  CAIRN_TRY(ServerUrl url, parse_server_url(options.url));
  if (!options.ca_file.empty()) {
    const auto readable = read_file(options.ca_file);
    if (!readable) return make_error(Errc::kInvalidArgument, readable.error().message);
  }
  // A line break in the token would inject a header.
  for (const char c : options.token) {
    if (static_cast<unsigned char>(c) <= ' ' || static_cast<unsigned char>(c) >= 0x7f) {
      return make_error(Errc::kInvalidArgument, "the token contains blanks or characters outside of ASCII");
    }
  }
  return Client(std::make_unique<Connection>(std::move(url), options));
}

Client::Client(std::unique_ptr<Connection> connection) : connection_(std::move(connection)) {}
Client::Client(Client&&) noexcept = default;
Client& Client::operator=(Client&&) noexcept = default;
Client::~Client() = default;

Result<Answer> Client::get(const std::string& path) { return connection_->get(path); }
Result<Answer> Client::post_json(const std::string& path, const std::string& body) {
  return connection_->post_json(path, body);
}
Result<Answer> Client::put_json(const std::string& path, const std::string& body) {
  return connection_->put_json(path, body);
}
Result<Answer> Client::put_text(const std::string& path, const std::string& body,
                                const std::string& content_type) {
  return connection_->put_text(path, body, content_type);
}
Result<Answer> Client::remove(const std::string& path) { return connection_->remove(path); }
Result<Answer> Client::get_lines(const std::string& path, const Headers& headers, const OnLine& on_line) {
  return connection_->get_lines(path, headers, on_line);
}
Result<Answer> Client::put_lines(const std::string& path, const Headers& headers, const std::string& body,
                                 const std::string& content_type, const OnLine& on_line) {
  return connection_->put_lines(path, headers, body, content_type, on_line);
}
Result<Answer> Client::post_lines(const std::string& path, const Headers& headers, const OnLine& on_line) {
  return connection_->post_lines(path, headers, on_line);
}
std::optional<Timestamp> Client::certificate_ends() const { return connection_->certificate_end(); }
void Client::stop() { connection_->stop(); }

}  // namespace cairn::api
