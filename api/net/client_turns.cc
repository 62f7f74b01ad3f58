#include "api/net/client_turns.h"

#include <algorithm>
#include <boost/asio/async_result.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <memory>
#include <utility>

#include "eventstore/base/assert.h"

namespace cairn::api {

namespace asio = boost::asio;
using Clock = std::chrono::steady_clock;

namespace {

// Then the event loop receives what has arrived. A turn takes 5 to 50 µs, and looking at the sockets about one.
constexpr std::chrono::microseconds kTurnsAtOnce{50};

// The window of a client in bytes of bodies, in which a small append counts as half of it: one append is parsed
// while another one is committed. In a wider window the writer and the processors are busy with one client when
// the request of another one arrives: see docs/decisions.md, "Clients take turns on a connection thread".
constexpr std::uint64_t kWindowBytes = 8'192;
constexpr std::uint64_t kAppendBytesMin = kWindowBytes / 2;

// Suspends the coroutine, and gives `store` the function that resumes it. Not a coroutine itself, because GCC 12
// destroys a lambda twice that is created in a co_await expression.
template <typename Store>
asio::awaitable<void> suspend(Store store) {
  return asio::async_initiate<const asio::use_awaitable_t<>, void()>(
      [store = std::move(store)](auto handler) {
        // Shared, because std::function requires a copyable callable and the handler can only be moved.
        auto resume = std::make_shared<decltype(handler)>(std::move(handler));
        store([resume] { (*resume)(); });
      },
      asio::use_awaitable);
}

}  // namespace

// What waits holds connections, and their places.
void ClientTurns::close() {
  closing_ = true;
  const auto windows = std::exchange(windows_, {});
  MutexLock lock(mutex_);
  const auto queue = std::exchange(queue_, {});
  lock.unlock();
}

void ClientTurns::note(ClientId client) {
  if (client == last_client_) return;
  if (last_client_ != 0) several_until_.store(Clock::now() + remembered_, std::memory_order_relaxed);
  last_client_ = client;
}

bool ClientTurns::several() const {
  const Clock::time_point until = several_until_.load(std::memory_order_relaxed);
  return until != Clock::time_point{} && Clock::now() < until;
}

void ClientTurns::post(ClientId client, std::function<void()> work) {
  if (!several()) return asio::post(io_, std::move(work));
  {
    const MutexLock lock(mutex_);
    queue_.push(client, std::move(work));
    if (std::exchange(scheduled_, true)) return;
  }
  asio::post(io_, [this] { run_turns(); });
}

void ClientTurns::run_turns() {
  const auto until = Clock::now() + kTurnsAtOnce;
  MutexLock lock(mutex_);
  while (!queue_.empty()) {
    const std::function<void()> work = queue_.pop();
    lock.unlock();
    work();
    if (Clock::now() >= until) return asio::post(io_, [this] { run_turns(); });
    lock.lock();
  }
  scheduled_ = false;
}

asio::awaitable<void> ClientTurns::next(ClientId client) {
  return suspend([this, client](std::function<void()> resume) { post(client, std::move(resume)); });
}

bool ClientTurns::has_room(const Window& window, std::uint64_t bytes) const {
  return window.bytes == 0 || window.bytes + bytes <= kWindowBytes || !several();
}

// Gives room to those that wait; to all of them once the client is alone.
void ClientTurns::leave(const Place& place) {
  if (closing_) return;
  const auto found = windows_.find(place.client_);
  CAIRN_ASSERT(found != windows_.end() && found->second.bytes >= place.bytes_, place.client_);
  Window& window = found->second;
  window.bytes -= place.bytes_;
  while (!window.waiting.empty() && has_room(window, window.waiting.front().place->bytes_)) {
    Waiting first = std::move(window.waiting.front());
    window.waiting.pop_front();
    first.place->entered_ = true;
    window.bytes += first.place->bytes_;
    post(place.client_, std::move(first.resume));
  }
  if (window.bytes == 0) windows_.erase(found);
}

ClientTurns::Place::Place(ClientTurns& turns, ClientId client, std::uint64_t body_bytes)
    : turns_(turns), client_(client), bytes_(std::max(body_bytes, kAppendBytesMin)) {}

ClientTurns::Place::~Place() {
  if (entered_) turns_.leave(*this);
}

asio::awaitable<void> ClientTurns::Place::enter() {
  Window& window = turns_.windows_[client_];
  if (window.waiting.empty() && turns_.has_room(window, bytes_)) {
    window.bytes += bytes_;
    entered_ = true;
    co_return;
  }
  co_await suspend([this, &window](std::function<void()> resume) {
    window.waiting.push_back({this, std::move(resume)});
  });
}

}  // namespace cairn::api
