#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "eventstore/base/result.h"

namespace cairn::api {

// What a server answered, be it yes or no.
struct Answer {
  int status = 0;
  std::string body;  // empty when it was given out line by line

  bool ok() const { return status >= 200 && status < 300; }
};

struct ClientOptions {
  std::string url = "http://127.0.0.1:7878";
  std::string token;    // sent as a bearer token; "" = none
  std::string ca_file;  // PEM; whom to trust instead of the system's authorities; "" = those
  std::chrono::milliseconds connect_timeout{5'000};
  // The longest silence while an answer is awaited or read. A live stream says something every 15 s.
  std::chrono::milliseconds silence_timeout{60'000};
};

// Speaks HTTP to one server over one connection, made when it is needed and made again when it was lost.
// Belongs to one thread; only stop() is for any.
//
// An answer of whatever status is a success. An error says that there was none: kIo when no connection could
// be made, kOutcomeUnknown when it was lost, so that nobody knows how far the request got. The message says
// where and why. Nothing is tried twice.
class Client {
 public:
  using Headers = std::vector<std::pair<std::string, std::string>>;

  enum class Next { kGoOn, kStop };
  // Gets one line without its end. The view lives until it returns.
  using OnLine = std::function<Next(std::string_view line)>;

  // kInvalidArgument when the URL makes no sense or the CA file cannot be read. Connects to nobody yet.
  static Result<Client> make(const ClientOptions& options);
  Client(Client&&) noexcept;
  Client& operator=(Client&&) noexcept;
  ~Client();

  // `path` begins with / and is encoded (server_url.h), with its query.
  Result<Answer> get(const std::string& path);
  Result<Answer> post_json(const std::string& path, const std::string& body);
  Result<Answer> put_json(const std::string& path, const std::string& body);
  Result<Answer> put_text(const std::string& path, const std::string& body, const std::string& content_type);
  Result<Answer> remove(const std::string& path);  // DELETE

  // Gives out the body of a 2xx answer line by line as it comes, and returns when it ends or the callback
  // stops it. Any other answer is returned with its body.
  Result<Answer> get_lines(const std::string& path, const Headers& headers, const OnLine& on_line);
  Result<Answer> put_lines(const std::string& path, const Headers& headers, const std::string& body,
                           const std::string& content_type, const OnLine& on_line);
  Result<Answer> post_lines(const std::string& path, const Headers& headers, const OnLine& on_line);

  // Makes the call that waits now, if one does, fail soon. Any thread.
  void stop();

 private:
  class Connection;
  explicit Client(std::unique_ptr<Connection> connection);
  std::unique_ptr<Connection> connection_;
};

}  // namespace cairn::api
