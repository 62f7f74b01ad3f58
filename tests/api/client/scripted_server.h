#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <cstdlib>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

namespace cairn::test {

// A server on a free port that answers each request with the next bytes of its script, without looking at the
// request. After the last one it accepts no further connection; an open connection stays open until the
// server is destroyed.
//
// Each process uses an address of its own in 127.0.0.0/8. The kernel reuses ports, and tests that run in
// parallel connect to servers that have ended: with a common address such a client would get answers of
// another test.
class ScriptedServer {
 public:
  enum class Then { kKeep, kClose };
  struct Reply {
    std::string bytes;
    Then then = Then::kKeep;
  };

  // A complete answer with Content-Length.
  static Reply answer(int status, std::string_view body, std::string_view type = "application/json") {
    return {"HTTP/1.1 " + std::to_string(status) + " X\r\nContent-Type: " + std::string(type) +
            "\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n" + std::string(body)};
  }

  // A chunked answer, in pieces. `last` adds its end.
  static Reply pieces(const std::vector<std::string>& parts, bool last, Then then = Then::kKeep) {
    std::string bytes = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
    for (const std::string& part : parts) {
      char size[20];
      std::snprintf(size, sizeof size, "%zx\r\n", part.size());
      bytes += size + part + "\r\n";
    }
    if (last) bytes += "0\r\n\r\n";
    return {bytes, then};
  }

  // Closes the connection without an answer.
  static Reply hang_up() { return {"", Then::kClose}; }

  explicit ScriptedServer(std::vector<Reply> script) : script_(std::move(script)) {
    listener_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    stop_ = ::eventfd(0, EFD_CLOEXEC);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(own_address());
    socklen_t size = sizeof address;
    auto* raw = reinterpret_cast<sockaddr*>(&address);
    if (::bind(listener_, raw, size) != 0 || ::listen(listener_, 8) != 0 ||
        ::getsockname(listener_, raw, &size) != 0) {
      std::abort();
    }
    port_ = ntohs(address.sin_port);
    thread_ = std::thread([this] { play(); });
  }
  ~ScriptedServer() {
    const std::uint64_t one = 1;
    if (::write(stop_, &one, sizeof one) != static_cast<ssize_t>(sizeof one)) std::abort();
    thread_.join();
    if (listener_ >= 0) ::close(listener_);
    ::close(stop_);
  }
  ScriptedServer(const ScriptedServer&) = delete;
  ScriptedServer& operator=(const ScriptedServer&) = delete;

  std::string url() const {
    char text[INET_ADDRSTRLEN];
    const in_addr address{htonl(own_address())};
    if (::inet_ntop(AF_INET, &address, text, sizeof text) == nullptr) std::abort();
    return "http://" + std::string(text) + ":" + std::to_string(port_);
  }

  // The requests so far, each with head and body.
  std::vector<std::string> requests() const {
    std::lock_guard lock(mutex_);
    return requests_;
  }

  // Waits for that many requests; false when they do not arrive.
  bool wait_for_requests(std::size_t count) const {
    std::unique_lock lock(mutex_);
    return came_.wait_for(lock, std::chrono::minutes(1), [&] { return requests_.size() >= count; });
  }

 private:
  // 127.64.0.0 to 127.127.255.255, from the process id, which has at most 22 bits.
  static std::uint32_t own_address() {
    return 0x7f400000u | (static_cast<std::uint32_t>(::getpid()) & 0x3fffffu);
  }

  void play() {
    int connection = -1;
    for (const Reply& reply : script_) {
      std::string request;
      while (request.empty()) {
        if (connection < 0) {
          if (!readable(listener_)) return;
          connection = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
        }
        request = read_request(connection);
        if (!request.empty()) break;
        ::close(connection);  // It was closed by the client, or we are to stop.
        connection = -1;
        if (stopping()) return;
      }
      {
        std::lock_guard lock(mutex_);
        requests_.push_back(request);
      }
      came_.notify_all();
      std::string_view bytes = reply.bytes;
      while (!bytes.empty()) {
        const ssize_t sent = ::send(connection, bytes.data(), bytes.size(), MSG_NOSIGNAL);
        if (sent <= 0) break;
        bytes.remove_prefix(static_cast<std::size_t>(sent));
      }
      if (reply.then == Then::kClose) {
        ::close(connection);
        connection = -1;
      }
    }
    ::close(std::exchange(listener_, -1));
    if (connection >= 0) {
      readable(stop_);
      ::close(connection);
    }
  }

  bool stopping() const {
    pollfd watched{stop_, POLLIN, 0};
    return ::poll(&watched, 1, 0) > 0;
  }

  // Waits until the socket is readable; false when the server stops.
  bool readable(int descriptor) const {
    pollfd watched[2] = {{descriptor, POLLIN, 0}, {stop_, POLLIN, 0}};
    ::poll(watched, 2, -1);
    return watched[1].revents == 0;
  }

  // One request with its body; empty when the connection ends first.
  std::string read_request(int connection) const {
    std::string request;
    std::size_t wanted = std::string::npos;
    while (request.size() < wanted) {
      if (!readable(connection)) return "";
      char bytes[4096];
      const ssize_t size = ::recv(connection, bytes, sizeof bytes, 0);
      if (size <= 0) return "";
      request.append(bytes, static_cast<std::size_t>(size));
      const std::size_t head_end = request.find("\r\n\r\n");
      if (head_end == std::string::npos) continue;
      const std::size_t length_at = request.find("Content-Length: ");
      wanted = head_end + 4;
      if (length_at < head_end) wanted += std::strtoul(request.c_str() + length_at + 16, nullptr, 10);
    }
    return request;
  }

  std::vector<Reply> script_;
  int listener_ = -1;
  int stop_ = -1;
  std::uint16_t port_ = 0;
  mutable std::mutex mutex_;
  mutable std::condition_variable came_;
  std::vector<std::string> requests_;
  std::thread thread_;
};

}  // namespace cairn::test
