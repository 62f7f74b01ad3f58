#pragma once

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <utility>

namespace cairn::test {

struct RawResponse {
  int status = 0;  // 0 = none came
  std::string head;
  std::string body;

  bool has(std::string_view text) const { return head.find(text) != std::string::npos; }
};

// A client that sends exactly the bytes it is told to. Every wait ends after kPatience at the latest.
class RawClient {
 public:
  static constexpr std::chrono::milliseconds kPatience{100'000};

  // `receive_bytes` bounds the receive buffer of the socket, for a client that does not read.
  explicit RawClient(std::uint16_t port, int receive_bytes = 0)
      : socket_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    if (receive_bytes > 0) {
      ::setsockopt(socket_, SOL_SOCKET, SO_RCVBUF, &receive_bytes, sizeof receive_bytes);
    }
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    connected_ = ::connect(socket_, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
  }
  ~RawClient() {
    if (socket_ >= 0) ::close(socket_);
  }
  RawClient(RawClient&& other) noexcept
      : socket_(std::exchange(other.socket_, -1)),
        connected_(other.connected_),
        received_(std::move(other.received_)) {}
  RawClient& operator=(RawClient&&) = delete;

  bool connected() const { return connected_; }

  // False when the server no longer takes bytes.
  bool send(std::string_view bytes) {
    while (!bytes.empty()) {
      const ssize_t sent = ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (sent <= 0) return false;
      bytes.remove_prefix(static_cast<std::size_t>(sent));
    }
    return true;
  }

  // The next whole response. Its status is 0 when the connection ends or patience does.
  RawResponse receive(bool with_body = true) {
    RawResponse response;
    std::size_t head_end = 0;
    while ((head_end = received_.find("\r\n\r\n")) == std::string::npos) {
      if (!receive_more()) return response;
    }
    response.head = received_.substr(0, head_end + 4);
    received_.erase(0, head_end + 4);
    const auto length_at = response.head.find("Content-Length: ");
    const std::size_t length = with_body && length_at != std::string::npos
                                   ? std::strtoul(response.head.c_str() + length_at + 16, nullptr, 10)
                                   : 0;
    while (received_.size() < length) {
      if (!receive_more()) return response;
    }
    response.body = received_.substr(0, length);
    received_.erase(0, length);
    response.status = std::atoi(response.head.c_str() + std::string_view("HTTP/1.1 ").size());
    return response;
  }

  RawResponse exchange(std::string_view bytes) {
    send(bytes);  // A refusal may come before the last byte was sent.
    return receive();
  }

  RawResponse get(std::string_view path) {
    return exchange("GET " + std::string(path) + " HTTP/1.1\r\nHost: localhost\r\n\r\n");
  }

  // Waits for these bytes and takes them, with everything in front of them; false when they do not come.
  bool receives(std::string_view bytes) {
    std::size_t at = 0;
    while ((at = received_.find(bytes)) == std::string::npos) {
      if (!receive_more()) return false;
    }
    received_.erase(0, at + bytes.size());
    return true;
  }

  // What comes until the connection is closed.
  std::string rest() {
    while (receive_more()) {
    }
    return std::exchange(received_, {});
  }

  // Whether the server closes the connection, with nothing further to read.
  bool is_closed() {
    while (receive_more()) {
    }
    return closed_ && received_.empty();
  }

  // Whether anything (bytes or an end) can be read within `wait`.
  bool readable_within(std::chrono::milliseconds wait) {
    pollfd watched{socket_, POLLIN, 0};
    return !received_.empty() || ::poll(&watched, 1, static_cast<int>(wait.count())) > 0;
  }

 private:
  bool receive_more() {
    pollfd watched{socket_, POLLIN, 0};
    if (::poll(&watched, 1, static_cast<int>(kPatience.count())) <= 0) return false;
    char bytes[4096];
    const ssize_t size = ::recv(socket_, bytes, sizeof bytes, 0);
    if (size <= 0) {
      closed_ = true;
      return false;
    }
    received_.append(bytes, static_cast<std::size_t>(size));
    return true;
  }

  int socket_;
  bool connected_ = false;
  bool closed_ = false;
  std::string received_;
};

}  // namespace cairn::test
