#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "eventstore/base/clock.h"
#include "eventstore/base/result.h"

namespace cairn::api {

// An answer of any status.
struct Answer {
  int status = 0;
  std::string body;  // empty when it was delivered line by line

  bool ok() const { return status >= 200 && status < 300; }
};

struct ClientOptions {
  std::string url = "http://127.0.0.1:7878";
  std::string token;    // sent as a bearer token; "" = none
  std::string ca_file;  // PEM; trusted instead of the system's certificate authorities; "" = those
  std::chrono::milliseconds connect_timeout{5'000};
  // The longest time without a byte while an answer is awaited or read. A live stream sends a heartbeat every
  // 15 s.
  std::chrono::milliseconds silence_timeout{60'000};
};

// An HTTP client for one server, over one connection that is opened on demand and reopened after it was lost.
// Not thread-safe, except for stop().
//
// An answer of any status is a success. An error means that there was no answer: kIo when the connection
// could not be opened, kOutcomeUnknown when it was lost, so that the server may or may not have processed the
// request. Requests are never retried.
class Client {
 public:
  using Headers = std::vector<std::pair<std::string, std::string>>;

  enum class Next { kGoOn, kStop };
  // Receives one line without its end. The view lives until the callback returns.
  using OnLine = std::function<Next(std::string_view line)>;

  // kInvalidArgument when the URL is invalid or the CA file cannot be read. Does not connect yet.
  static Result<Client> make(const ClientOptions& options);
  Client(Client&&) noexcept;
  Client& operator=(Client&&) noexcept;
  ~Client();

  // `path` begins with / and includes the query; it is percent-encoded already (server_url.h).
  Result<Answer> get(const std::string& path);
  Result<Answer> post_json(const std::string& path, const std::string& body);
  Result<Answer> put_json(const std::string& path, const std::string& body);
  Result<Answer> put_text(const std::string& path, const std::string& body, const std::string& content_type);
  Result<Answer> remove(const std::string& path);  // DELETE

  // Deliver the body of a 2xx answer line by line as it arrives, and return when it ends or the callback
  // stops it. Any other answer is returned with its body.
  Result<Answer> get_lines(const std::string& path, const Headers& headers, const OnLine& on_line);
  Result<Answer> put_lines(const std::string& path, const Headers& headers, const std::string& body,
                           const std::string& content_type, const OnLine& on_line);
  Result<Answer> post_lines(const std::string& path, const Headers& headers, const OnLine& on_line);

  // When the certificate ends that the server showed last; nullopt without TLS, and before a connection.
  std::optional<Timestamp> certificate_ends() const;

  // Makes a call that is waiting now fail soon. Thread-safe.
  void stop();

 private:
  class Connection;
  explicit Client(std::unique_ptr<Connection> connection);
  std::unique_ptr<Connection> connection_;
};

}  // namespace cairn::api
