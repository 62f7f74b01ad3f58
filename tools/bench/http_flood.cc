#include "tools/bench/http_flood.h"

#include <sched.h>
#include <sys/epoll.h>
#include <sys/uio.h>

#include <cstdlib>
#include <string_view>
#include <utility>
#include <vector>

#include "tools/bench/client_socket.h"

namespace cairn::bench {
namespace {

constexpr int kLookForStopMs = 20;

}  // namespace

// The sockets do not block: a server that reads slowly from one connection gets the requests of the others.
class HttpFlood::Run {
 public:
  Run(const HttpFloodLoad& load, Atomics& counts)
      : load_(load), counts_(counts), connections_(load.connections), bytes_(16u << 10) {}

  Status until(const std::stop_token& stop) {
    for (unsigned i = 0; i < load_.connections; ++i) CAIRN_CHECK(open(i));
    std::vector<epoll_event> ready(256);
    while (!stop.stop_requested()) {
      const int count =
          ::epoll_wait(poll_.get(), ready.data(), static_cast<int>(ready.size()), kLookForStopMs);
      if (count < 0 && errno != EINTR) return system_error("epoll_wait", errno);
      for (int i = 0; i < count; ++i) CAIRN_CHECK(proceed(ready[static_cast<std::size_t>(i)].data.u32));
    }
    return {};
  }

 private:
  struct Connection {
    Socket socket;
    std::string head;      // of the append that is being sent
    std::size_t sent = 0;  // of its head and body
    std::string answer;
  };

  Status open(unsigned number) {
    Connection& connection = connections_[number];
    connection = {};
    CAIRN_TRY(connection.socket, connect_to(load_.port));
    epoll_event event{.events = EPOLLIN | EPOLLOUT | EPOLLRDHUP | EPOLLET, .data = {.u32 = number}};
    if (::epoll_ctl(poll_.get(), EPOLL_CTL_ADD, connection.socket.get(), &event) != 0) {
      return system_error("epoll_ctl", errno);
    }
    begin_append(connection);
    send(connection);
    return {};
  }

  void begin_append(Connection& connection) {
    connection.head =
        "POST " + load_.path(appends_++) + " HTTP/1.1\r\nHost: localhost\r\n" + load_.headers +
        "Content-Type: application/json\r\nContent-Length: " + std::to_string(load_.body.size()) + "\r\n\r\n";
    connection.sent = 0;
  }

  std::size_t size_of_append(const Connection& connection) const {
    return connection.head.size() + load_.body.size();
  }

  // As much as the socket takes. A failure is seen by receive().
  void send(Connection& connection) const {
    while (connection.sent < size_of_append(connection)) {
      const std::string_view head =
          std::string_view(connection.head).substr(std::min(connection.sent, connection.head.size()));
      const std::string_view body =
          std::string_view(load_.body)
              .substr(connection.sent < connection.head.size() ? 0
                                                               : connection.sent - connection.head.size());
      iovec parts[2] = {{const_cast<char*>(head.data()), head.size()},
                        {const_cast<char*>(body.data()), body.size()}};
      msghdr message{};
      message.msg_iov = parts;
      message.msg_iovlen = 2;
      const ssize_t sent = ::sendmsg(connection.socket.get(), &message, MSG_NOSIGNAL | MSG_DONTWAIT);
      if (sent <= 0) return;
      connection.sent += static_cast<std::size_t>(sent);
    }
  }

  Status proceed(unsigned number) {
    Connection& connection = connections_[number];
    send(connection);
    while (true) {
      const ssize_t size = ::recv(connection.socket.get(), bytes_.data(), bytes_.size(), MSG_DONTWAIT);
      if (size < 0 && (errno == EAGAIN || errno == EINTR)) return {};
      if (size <= 0) return open(number);
      connection.answer.append(bytes_.data(), static_cast<std::size_t>(size));
      CAIRN_TRY(const Next next, take_answer(connection));
      if (next == Next::kConnectAgain) return open(number);
      if (next == Next::kAppendAgain) {
        begin_append(connection);
        send(connection);
      }
    }
  }

  enum class Next { kReceive, kAppendAgain, kConnectAgain };

  Result<Next> take_answer(Connection& connection) {
    std::string& answer = connection.answer;
    const auto head_end = answer.find("\r\n\r\n");
    if (head_end == std::string::npos) return Next::kReceive;
    const std::string_view head = std::string_view(answer).substr(0, head_end);
    const auto length_at = head.find("Content-Length: ");
    if (length_at == std::string_view::npos) {
      return make_error(Errc::kFailedPrecondition, "an answer has no length");
    }
    const std::size_t size = head_end + 4 + std::strtoul(answer.c_str() + length_at + 16, nullptr, 10);
    if (answer.size() < size) return Next::kReceive;
    switch (std::atoi(answer.c_str() + 9)) {
      case 201:
        ++counts_.appended;
        break;
      case 429:
        ++counts_.too_many_requests;
        break;
      case 503:
        ++counts_.overloaded;
        break;
      default:
        return make_error(Errc::kFailedPrecondition, "the server answered " + answer.substr(9, 300));
    }
    // An append that is refused before its body has arrived is the connection's last.
    const bool closes = head.find("Connection: close") != std::string_view::npos ||
                        connection.sent < size_of_append(connection);
    answer.erase(0, size);
    return closes ? Next::kConnectAgain : Next::kAppendAgain;
  }

  const HttpFloodLoad& load_;
  Atomics& counts_;
  const Socket poll_{::epoll_create1(EPOLL_CLOEXEC)};
  std::vector<Connection> connections_;
  std::uint64_t appends_ = 0;
  std::vector<char> bytes_;
};

HttpFlood::HttpFlood(HttpFloodLoad load) : load_(std::move(load)) {
  thread_.start({.name = "cairn-flood", .wake = [] {}}, [this](const std::stop_token& stop) {
    const sched_param none{};
    ::sched_setscheduler(0, SCHED_IDLE, &none);
    const Status status = Run(load_, counts_).until(stop);
    if (!status.ok()) error_ = status.error();
  });
}

HttpFloodCounts HttpFlood::counts() const {
  return {counts_.appended.load(), counts_.too_many_requests.load(), counts_.overloaded.load()};
}

Status HttpFlood::stop() {
  thread_.stop();
  if (error_) return *error_;
  return {};
}

}  // namespace cairn::bench
