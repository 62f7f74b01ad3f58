#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <unordered_map>
#include <utility>

#include "eventstore/base/assert.h"

namespace cairn::api {

// Whose work it is: a token, or a connection where no tokens are needed. 0 is the server itself.
using ClientId = std::uint64_t;

// A queue that takes one item of each client in turn, so that the backlog of one client delays the others by
// one item each and not by all of it. The items of one client stay in order. Not thread-safe.
template <typename Item>
class FairQueue {
 public:
  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }

  // The items of one client, and the clients that have some.
  std::size_t size_of(ClientId client) const {
    const auto found = items_.find(client);
    return found == items_.end() ? 0 : found->second.size();
  }
  std::size_t clients() const { return items_.size(); }

  void push(ClientId client, Item item) {
    auto& of_client = items_[client];
    if (of_client.empty()) turns_.push_back(client);
    of_client.push_back(std::move(item));
    ++size_;
  }

  // REQUIRES: !empty().
  Item pop() {
    CAIRN_ASSERT(!empty());
    const ClientId client = turns_.front();
    turns_.pop_front();
    const auto of_client = items_.find(client);
    Item item = std::move(of_client->second.front());
    of_client->second.pop_front();
    if (of_client->second.empty()) {
      items_.erase(of_client);
    } else {
      turns_.push_back(client);
    }
    --size_;
    return item;
  }

 private:
  std::unordered_map<ClientId, std::deque<Item>> items_;  // only clients that have some
  std::deque<ClientId> turns_;                            // each of these once
  std::size_t size_ = 0;
};

// Whether a client that holds `held` of a resource must leave the rest to others: the resource is three quarters
// in use, and the client holds more than its share. `clients` hold some of it, this one included. The share of a
// single client is one half: it finds out that it is throttled before others are refused.
constexpr bool exceeds_share(std::size_t held, std::size_t used, std::size_t max, std::size_t clients) {
  const std::size_t shares = clients < 2 ? 2 : clients;
  return used > max - max / 4 && held > max / shares;
}

}  // namespace cairn::api
