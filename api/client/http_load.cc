#include "api/client/http_load.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <memory>
#include <string_view>
#include <vector>

namespace cairn::api {

namespace {

using Clock = std::chrono::steady_clock;

class Socket {
 public:
  Socket() = default;
  explicit Socket(int descriptor) : descriptor_(descriptor) {}
  Socket(Socket&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}
  Socket& operator=(Socket&& other) noexcept {
    std::swap(descriptor_, other.descriptor_);
    return *this;
  }
  ~Socket() {
    if (descriptor_ >= 0) ::close(descriptor_);
  }
  int get() const { return descriptor_; }

 private:
  int descriptor_ = -1;
};

Result<Socket> connect_to(std::uint16_t port) {
  Socket socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  const int on = 1;
  ::setsockopt(socket.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (::connect(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
    return system_error("connect to the server", errno);
  }
  return socket;
}

Status send_all(int socket, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t sent = ::send(socket, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent <= 0) return system_error("send a request", errno);
    bytes.remove_prefix(static_cast<std::size_t>(sent));
  }
  return {};
}

struct Client {
  Socket socket;
  std::string answer;
  Clock::time_point asked;
};

// Whether `answer` is whole; then it is taken away.
Result<bool> take_answer(std::string& answer) {
  const auto head_end = answer.find("\r\n\r\n");
  if (head_end == std::string::npos) return false;
  const auto length_at = answer.find("Content-Length: ");
  if (length_at == std::string::npos || length_at > head_end) {
    return make_error(Errc::kFailedPrecondition, "an answer has no length");
  }
  const std::size_t size = head_end + 4 + std::strtoul(answer.c_str() + length_at + 16, nullptr, 10);
  if (answer.size() < size) return false;
  if (answer.compare(9, 3, "201") != 0) {
    return make_error(Errc::kFailedPrecondition, "the server answered " + answer.substr(9, 300));
  }
  answer.erase(0, size);
  return true;
}

}  // namespace

Status run_http_load(const HttpLoad& load) {
  const Socket poll(::epoll_create1(EPOLL_CLOEXEC));
  std::vector<Client> clients(load.connections);
  std::string request;
  const auto ask = [&](unsigned number) {
    request.clear();
    load.next(number, request);
    clients[number].asked = Clock::now();
    return send_all(clients[number].socket.get(), request);
  };
  for (unsigned i = 0; i < load.connections; ++i) {
    CAIRN_TRY(clients[i].socket, connect_to(load.port));
    epoll_event event{.events = EPOLLIN, .data = {.u32 = i}};
    if (::epoll_ctl(poll.get(), EPOLL_CTL_ADD, clients[i].socket.get(), &event) != 0) {
      return system_error("epoll_ctl", errno);
    }
  }
  const auto end = Clock::now() + std::chrono::duration_cast<Clock::duration>(load.duration);
  for (unsigned i = 0; i < load.connections; ++i) CAIRN_CHECK(ask(i));
  unsigned under_way = load.connections;
  std::vector<epoll_event> ready(std::min(load.connections, 256u));
  char bytes[16'384];
  while (under_way > 0) {
    const int count = ::epoll_wait(poll.get(), ready.data(), static_cast<int>(ready.size()), 10'000);
    if (count <= 0) return make_error(Errc::kFailedPrecondition, "the server no longer answers");
    for (int i = 0; i < count; ++i) {
      const unsigned number = ready[static_cast<std::size_t>(i)].data.u32;
      Client& client = clients[number];
      const ssize_t size = ::recv(client.socket.get(), bytes, sizeof bytes, 0);
      if (size <= 0) return make_error(Errc::kFailedPrecondition, "the server closed a connection");
      client.answer.append(bytes, static_cast<std::size_t>(size));
      CAIRN_TRY(const bool whole, take_answer(client.answer));
      if (!whole) continue;
      const auto now = Clock::now();
      if (now > end) {
        --under_way;
        continue;
      }
      load.answered(now - client.asked);
      CAIRN_CHECK(ask(number));
    }
  }
  return {};
}

struct StalledFollowers::Sockets {
  std::vector<Socket> all;
};

StalledFollowers::StalledFollowers(std::unique_ptr<Sockets> sockets) : sockets_(std::move(sockets)) {}
StalledFollowers::StalledFollowers(StalledFollowers&&) noexcept = default;
StalledFollowers::~StalledFollowers() = default;

Result<StalledFollowers> StalledFollowers::connect(std::uint16_t port, unsigned count) {
  auto sockets = std::make_unique<Sockets>();
  for (unsigned i = 0; i < count; ++i) {
    CAIRN_TRY(Socket socket, connect_to(port));
    const int small = 16 << 10;  // It is the server's memory that is of interest.
    ::setsockopt(socket.get(), SOL_SOCKET, SO_RCVBUF, &small, sizeof small);
    CAIRN_CHECK(send_all(socket.get(),
                         "GET /events HTTP/1.1\r\nHost: localhost\r\nAccept: text/event-stream\r\n\r\n"));
    sockets->all.push_back(std::move(socket));
  }
  return StalledFollowers(std::move(sockets));
}

Result<LinesOutcome> read_all_lines(std::uint16_t port) {
  CAIRN_TRY(const Socket socket, connect_to(port));
  LinesOutcome outcome;
  const auto began = Clock::now();
  CAIRN_CHECK(send_all(socket.get(),
                       "GET /events HTTP/1.0\r\nHost: localhost\r\nAccept: application/x-ndjson\r\n\r\n"));
  std::vector<char> bytes(256u << 10);
  std::string head;
  while (true) {
    const ssize_t size = ::recv(socket.get(), bytes.data(), bytes.size(), 0);
    if (size < 0) return system_error("receive", errno);
    if (size == 0) break;
    std::string_view piece(bytes.data(), static_cast<std::size_t>(size));
    if (const auto end = head.find("\r\n\r\n"); end == std::string::npos) {
      head += piece;
      const auto found = head.find("\r\n\r\n");
      piece = found == std::string::npos ? std::string_view() : std::string_view(head).substr(found + 4);
    }
    outcome.bytes += piece.size();
    outcome.lines += static_cast<std::uint64_t>(std::count(piece.begin(), piece.end(), '\n'));
  }
  outcome.seconds = std::chrono::duration<double>(Clock::now() - began).count();
  return outcome;
}

}  // namespace cairn::api
