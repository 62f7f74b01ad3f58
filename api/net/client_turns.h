#pragma once

#include <atomic>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <unordered_map>

#include "api/http/fair_queue.h"
#include "eventstore/base/mutex.h"

namespace cairn::api {

// Fair queueing of the work of one event loop, between clients with tokens. An event loop alone is first in,
// first out: a client with a hundred connections gets a hundred times what a client with one connection gets, and
// its requests delay the other's by all of them.
//
// While several clients send requests, they take turns, and the event loop looks for new input after each 50 µs
// of turns. Each client has a window of appends that are in progress, one large or two small ones; the requests
// of its other connections wait. So a request of another client waits for a few appends and not for one of each
// connection.
//
// A client that is alone has no window and takes no turns, which cost a pass through the event loop. Without
// tokens every connection is a client of its own and has one request at a time, so that the event loop's own
// order is fair. See docs/decisions.md, "Clients take turns on a connection thread".
//
// Belongs to the thread of the event loop, except several() and post(), which are thread-safe.
class ClientTurns {
 public:
  // A client counts for a second after its last request. REQUIRES: `io` is run by one thread, and lives until
  // close(); this object lives longer than the coroutines that `io` holds.
  explicit ClientTurns(boost::asio::io_context& io,
                       std::chrono::steady_clock::duration remembered = std::chrono::seconds(1))
      : io_(io), remembered_(remembered) {}

  ~ClientTurns() { close(); }
  ClientTurns(const ClientTurns&) = delete;
  ClientTurns& operator=(const ClientTurns&) = delete;

  // Destroys what waits. From then on places are not given to others. REQUIRES: `io` no longer runs.
  void close() CAIRN_EXCLUDES(mutex_);

  // A client with a token has sent a request.
  void note(ClientId client);

  // Whether several clients have sent requests recently.
  bool several() const;

  // Runs `work` on the thread of the event loop: in the client's turn if there are several clients, else in the
  // order of the event loop.
  void post(ClientId client, std::function<void()> work) CAIRN_EXCLUDES(mutex_);

  // Resumes the coroutine in the client's turn.
  boost::asio::awaitable<void> next(ClientId client);

  // A place in the window of a client, for an append with a body of so many bytes.
  class Place {
   public:
    // Without a place until enter() returns.
    Place(ClientTurns& turns, ClientId client, std::uint64_t body_bytes);
    ~Place();
    Place(const Place&) = delete;
    Place& operator=(const Place&) = delete;

    // Resumes the coroutine when there is room in the window, in the order of arrival; at once if the client is
    // alone. REQUIRES: called once.
    boost::asio::awaitable<void> enter();

   private:
    friend class ClientTurns;
    ClientTurns& turns_;
    const ClientId client_;
    const std::uint64_t bytes_;
    bool entered_ = false;
  };

 private:
  struct Waiting {
    Place* place;
    std::function<void()> resume;
  };
  struct Window {
    std::uint64_t bytes = 0;  // of the appends in progress
    std::deque<Waiting> waiting;
  };

  bool has_room(const Window& window, std::uint64_t bytes) const;
  void leave(const Place& place);
  void run_turns() CAIRN_EXCLUDES(mutex_);

  boost::asio::io_context& io_;
  const std::chrono::steady_clock::duration remembered_;
  ClientId last_client_ = 0;
  std::atomic<std::chrono::steady_clock::time_point> several_until_{};
  std::unordered_map<ClientId, Window> windows_;  // of clients with appends in progress
  bool closing_ = false;                          // what is destroyed gives no place to others

  Mutex mutex_;
  FairQueue<std::function<void()>> queue_ CAIRN_GUARDED_BY(mutex_);
  bool scheduled_ CAIRN_GUARDED_BY(mutex_) = false;  // run_turns() is in the event loop's queue, or runs
};

}  // namespace cairn::api
