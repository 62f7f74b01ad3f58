#include "tools/bench/http_load.h"

#include <sys/epoll.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <deque>
#include <memory>
#include <string_view>
#include <vector>

#include "tools/bench/client_socket.h"

namespace cairn::bench {

namespace {

using Clock = std::chrono::steady_clock;

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

// The status of the answer at the beginning of the buffer, which is then removed from it; 0 when it is not
// complete.
Result<int> take_answer(std::string& answer) {
  const auto head_end = answer.find("\r\n\r\n");
  if (head_end == std::string::npos) return 0;
  const auto length_at = answer.find("Content-Length: ");
  if (length_at == std::string::npos || length_at > head_end) {
    return make_error(Errc::kFailedPrecondition, "an answer has no length");
  }
  const std::size_t size = head_end + 4 + std::strtoul(answer.c_str() + length_at + 16, nullptr, 10);
  if (answer.size() < size) return 0;
  const int status = std::atoi(answer.c_str() + 9);
  if (status != 201 && status != 429 && status != 503) {
    return make_error(Errc::kFailedPrecondition, "the server answered " + answer.substr(9, 300));
  }
  answer.erase(0, size);
  return status;
}

// The schedule of requests at a fixed rate. Without a rate they are due at once.
class RequestRate {
 public:
  RequestRate(Clock::time_point begin, double rate) : begin_(begin), rate_(rate) {}

  bool is_unlimited() const { return rate_ <= 0; }  // the next request follows the answer
  Clock::time_point due() const {
    const std::chrono::duration<double> since(is_unlimited() ? 0 : static_cast<double>(requests_) / rate_);
    return begin_ + std::chrono::duration_cast<Clock::duration>(since);
  }
  void count_request() { ++requests_; }

 private:
  const Clock::time_point begin_;
  const double rate_;
  std::uint64_t requests_ = 0;
};

class Load {
 public:
  explicit Load(const HttpLoad& load) : load_(load), clients_(load.connections) {}

  Status run() {
    CAIRN_CHECK(connect());
    const auto begin = Clock::now();
    const auto end = begin + std::chrono::duration_cast<Clock::duration>(load_.duration);
    RequestRate pace(begin, load_.requests_per_second);
    std::vector<epoll_event> ready(std::min(load_.connections, 256u));
    while (true) {
      const auto now = Clock::now();
      // At a fixed rate a request that was due before the end is sent and measured also when it is late: to
      // leave it out would hide the delay (coordinated omission).
      while (!idle_.empty() && pace.due() <= std::min(now, end) && (now <= end || !pace.is_unlimited())) {
        CAIRN_CHECK(ask(pace));
      }
      const bool over = now > end && (pace.is_unlimited() || pace.due() > end);
      if (over && idle_.size() == clients_.size()) return {};
      // With an idle connection the wait ends when the next request is due.
      const auto until = over || idle_.empty() ? now + kSilenceMax : std::min(pace.due(), end + kMoment);
      CAIRN_TRY(const std::size_t count, wait(ready, until - now));
      if (count == 0 && (over || idle_.empty())) {
        return make_error(Errc::kFailedPrecondition, "the server no longer answers");
      }
      for (std::size_t i = 0; i < count; ++i) CAIRN_CHECK(receive(ready[i].data.u32, pace, end));
    }
  }

 private:
  static constexpr std::chrono::seconds kSilenceMax{10};
  static constexpr std::chrono::milliseconds kMoment{1};

  Status connect() {
    for (unsigned i = 0; i < load_.connections; ++i) {
      CAIRN_TRY(clients_[i].socket, connect_to(load_.port));
      epoll_event event{.events = EPOLLIN, .data = {.u32 = i}};
      if (::epoll_ctl(poll_.get(), EPOLL_CTL_ADD, clients_[i].socket.get(), &event) != 0) {
        return system_error("epoll_ctl", errno);
      }
      idle_.push_back(i);
    }
    return {};
  }

  Status ask(RequestRate& pace) {
    const unsigned number = idle_.front();
    idle_.pop_front();
    request_.clear();
    load_.next(number, request_);
    clients_[number].asked = pace.is_unlimited() ? Clock::now() : pace.due();
    pace.count_request();
    return send_all(clients_[number].socket.get(), request_);
  }

  Result<std::size_t> wait(std::vector<epoll_event>& ready, Clock::duration most) const {
    const auto nanos = std::max<std::int64_t>(0, std::chrono::nanoseconds(most).count());
    const timespec time{.tv_sec = nanos / 1'000'000'000, .tv_nsec = nanos % 1'000'000'000};
    const int count =
        ::epoll_pwait2(poll_.get(), ready.data(), static_cast<int>(ready.size()), &time, nullptr);
    if (count >= 0) return static_cast<std::size_t>(count);
    if (errno == EINTR) return std::size_t{0};
    return system_error("epoll_pwait2", errno);
  }

  Status receive(unsigned number, RequestRate& pace, Clock::time_point end) {
    Client& client = clients_[number];
    const ssize_t size = ::recv(client.socket.get(), bytes_, sizeof bytes_, 0);
    if (size <= 0) return make_error(Errc::kFailedPrecondition, "the server closed a connection");
    client.answer.append(bytes_, static_cast<std::size_t>(size));
    CAIRN_TRY(const int status, take_answer(client.answer));
    if (status == 0) return {};
    const auto now = Clock::now();
    if (status != 201) {
      if (!load_.refused) {
        return make_error(Errc::kFailedPrecondition, "the server answered " + std::to_string(status));
      }
      load_.refused(status);
    } else if (now <= end || !pace.is_unlimited()) {
      load_.answered(now - client.asked);
    }
    idle_.push_back(number);
    return pace.is_unlimited() && now <= end ? ask(pace) : Status();
  }

  const HttpLoad& load_;
  const Socket poll_{::epoll_create1(EPOLL_CLOEXEC)};
  std::vector<Client> clients_;
  std::deque<unsigned> idle_;  // in turn, so that all threads of the server have requests
  std::string request_;
  char bytes_[16'384];
};

}  // namespace

Status run_http_load(const HttpLoad& load) { return Load(load).run(); }

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
    const int small = 16 << 10;  // Small, because the server's buffers are measured.
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

}  // namespace cairn::bench
