#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>

#include "api/http/fair_queue.h"

namespace cairn::api {

// Which connections a server keeps when there are more than it can serve. A connection is unadmitted until it
// has shown a valid token (without tokens: until it has sent a request that is served). Unadmitted connections
// give way to new ones, oldest first, so that silent connections keep no client out. Admitted ones stay, except
// those of a client that has more than its share of all. Not thread-safe.
class ConnectionSlots {
 public:
  using Id = std::uint64_t;

  struct Limits {
    std::size_t connections_max;
    std::size_t unadmitted_max;                         // the rest is reserved for admitted ones
    std::optional<std::size_t> unadmitted_per_address;  // nullopt = any number
  };
  explicit ConnectionSlots(const Limits& limits) : limits_(limits) {}

  struct Taken {
    bool yes = false;
    std::optional<Id> instead_of;  // no longer counted; the caller closes it
  };
  // Takes a new connection, in place of the oldest unadmitted one where a limit is reached. Not taken when
  // every connection is admitted and there are connections_max. REQUIRES: ids rise.
  Taken add(Id id, const std::string& address);

  // The connection is admitted as one of this client, even if add() has just given its place to another one.
  void admit(Id id, ClientId client);

  // The oldest connection of the client that has the most, if that is more than its share; nullopt otherwise. Asked
  // when add() has not taken a connection.
  std::optional<Id> over_share() const;

  // The connection has ended, or will be closed for another one. Returns whether it was counted until now.
  bool remove(Id id);

 private:
  void forget_unadmitted(std::map<Id, std::string>::iterator connection);

  const Limits limits_;
  std::map<Id, std::string> unadmitted_;  // and their addresses; oldest first
  std::map<std::string, std::set<Id>> by_address_;
  std::map<Id, ClientId> admitted_;
  std::map<ClientId, std::set<Id>> by_client_;  // the admitted ones
};

}  // namespace cairn::api
