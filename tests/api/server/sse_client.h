#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "tests/api/server/api_client.h"

namespace cairn::test {

struct SseEvent {
  std::uint64_t id = 0;
  std::string type;
  std::string data;
};

// Follows events on a connection of its own. Every wait has the timeout kPatience.
class SseClient {
 public:
  static constexpr std::chrono::milliseconds kPatience{100'000};

  // `more` are header lines, each with its line end. `receive_bytes` bounds the receive buffer of the socket,
  // for a client that does not read. With a `body` the request is a POST of JSON.
  SseClient(std::uint16_t port, const std::string& target, const std::string& more = "",
            int receive_bytes = 0, const std::string& body = "")
      : socket_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    if (receive_bytes > 0) {
      ::setsockopt(socket_, SOL_SOCKET, SO_RCVBUF, &receive_bytes, sizeof receive_bytes);
    }
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    const std::string of_body =
        body.empty()
            ? ""
            : "Content-Type: application/json\r\nContent-Length: " + std::to_string(body.size()) + "\r\n";
    const std::string request = (body.empty() ? "GET " : "POST ") + target +
                                " HTTP/1.1\r\nHost: localhost\r\nAccept: text/event-stream\r\n" + of_body +
                                more + "\r\n" + body;
    over_ =
        ::connect(socket_, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0 ||
        ::send(socket_, request.data(), request.size(), MSG_NOSIGNAL) != static_cast<ssize_t>(request.size());
  }
  ~SseClient() {
    if (socket_ >= 0) ::close(socket_);
  }
  SseClient(SseClient&& other) noexcept
      : socket_(std::exchange(other.socket_, -1)),
        head_(std::move(other.head_)),
        raw_(std::move(other.raw_)),
        text_(std::move(other.text_)),
        over_(other.over_),
        ended_(other.ended_) {}
  SseClient& operator=(SseClient&&) = delete;

  // Waits for the head of the answer and returns its status; 0 when none arrives.
  int status() {
    while (head_.empty()) {
      const auto end = raw_.find("\r\n\r\n");
      if (end != std::string::npos) {
        head_ = raw_.substr(0, end + 4);
        raw_.erase(0, end + 4);
      } else if (!receive_more()) {
        return 0;
      }
    }
    return std::atoi(head_.c_str() + std::string_view("HTTP/1.1 ").size());
  }
  const std::string& head() {
    status();
    return head_;
  }

  // The next event; nullopt when the answer ends, the connection is lost, or the wait times out. Heartbeats and
  // resume points (an id without data) are skipped, as the standard has it.
  std::optional<SseEvent> next() {
    // What is no event does not extend the wait.
    const auto deadline = std::chrono::steady_clock::now() + kPatience;
    for (;;) {
      const auto end = text_.find("\n\n", scanned_);
      if (end == std::string::npos) {
        scanned_ = text_.size() < 1 ? 0 : text_.size() - 1;
        if (!decode_more()) return std::nullopt;
        continue;
      }
      const std::string block = text_.substr(0, end + 1);
      text_.erase(0, end + 2);
      scanned_ = 0;
      if (block.find("data: ") == std::string::npos) {
        if (std::chrono::steady_clock::now() > deadline) return std::nullopt;
        continue;
      }
      return SseEvent{std::strtoull(field(block, "id: ").c_str(), nullptr, 10), field(block, "event: "),
                      field(block, "data: ")};
    }
  }

  // Whether the connection ended, without the end of the answer.
  bool lost() const { return over_ && !ended_; }

  // Reads to the end; returns whether the answer ended with its last chunk.
  bool ends_in_order() {
    while (next()) {
    }
    return ended_ && text_.empty();
  }

 private:
  static std::string field(const std::string& block, const std::string& name) {
    const auto at = block.starts_with(name) ? 0 : block.find("\n" + name) + 1;
    if (at == 0 && !block.starts_with(name)) return "";
    const auto begin = at + name.size();
    return block.substr(begin, block.find('\n', begin) - begin);
  }

  // Receives one more chunk, or a part of it.
  bool decode_more() {
    if (status() == 0 || ended_) return false;
    for (;;) {
      const auto line = raw_.find("\r\n");
      if (line != std::string::npos) {
        const std::size_t size = std::strtoul(raw_.c_str(), nullptr, 16);
        if (raw_.size() >= line + 2 + size + 2) {
          text_.append(raw_, line + 2, size);
          raw_.erase(0, line + 2 + size + 2);
          ended_ = size == 0;
          return !ended_;
        }
      }
      if (!receive_more()) return false;
    }
  }
  bool receive_more() {
    if (over_) return false;
    pollfd watched{socket_, POLLIN, 0};
    if (::poll(&watched, 1, static_cast<int>(kPatience.count())) <= 0) return false;
    char bytes[65536];
    const ssize_t size = ::recv(socket_, bytes, sizeof bytes, 0);
    if (size <= 0) {
      over_ = true;
      return false;
    }
    raw_.append(bytes, static_cast<std::size_t>(size));
    return true;
  }

  int socket_;
  std::string head_;
  std::string raw_;          // behind the head, not yet out of its chunks
  std::string text_;         // out of its chunks, not yet taken
  std::size_t scanned_ = 0;  // of text_, without an event's end
  bool over_ = false;
  bool ended_ = false;
};

}  // namespace cairn::test
