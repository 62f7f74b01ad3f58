#include "api/net/connection_slots.h"

#include <algorithm>

#include "eventstore/base/assert.h"

namespace cairn::api {

ConnectionSlots::Taken ConnectionSlots::add(Id id, const std::string& address) {
  CAIRN_ASSERT(unadmitted_.empty() || unadmitted_.rbegin()->first < id, id);
  Taken taken;
  const auto same_address = by_address_.find(address);
  const bool too_many_of_address = limits_.unadmitted_per_address && same_address != by_address_.end() &&
                                   same_address->second.size() >= *limits_.unadmitted_per_address;
  const bool full = unadmitted_.size() >= limits_.unadmitted_max ||
                    unadmitted_.size() + admitted_.size() >= limits_.connections_max;
  if (too_many_of_address) {
    taken.instead_of = *same_address->second.begin();
  } else if (full) {
    if (unadmitted_.empty()) return taken;
    taken.instead_of = unadmitted_.begin()->first;
  }
  if (taken.instead_of) forget_unadmitted(unadmitted_.find(*taken.instead_of));
  unadmitted_.emplace(id, address);
  by_address_[address].insert(id);
  taken.yes = true;
  return taken;
}

void ConnectionSlots::admit(Id id, ClientId client) {
  if (const auto found = unadmitted_.find(id); found != unadmitted_.end()) forget_unadmitted(found);
  if (!admitted_.emplace(id, client).second) return;
  by_client_[client].insert(id);
}

std::optional<ConnectionSlots::Id> ConnectionSlots::over_share() const {
  const auto most =
      std::ranges::max_element(by_client_, {}, [](const auto& of_client) { return of_client.second.size(); });
  if (most == by_client_.end()) return std::nullopt;
  const std::size_t used = unadmitted_.size() + admitted_.size();
  if (!exceeds_share(most->second.size(), used, limits_.connections_max, by_client_.size()))
    return std::nullopt;
  return *most->second.begin();
}

bool ConnectionSlots::remove(Id id) {
  if (const auto found = unadmitted_.find(id); found != unadmitted_.end()) {
    forget_unadmitted(found);
    return true;
  }
  const auto found = admitted_.find(id);
  if (found == admitted_.end()) return false;
  const auto of_client = by_client_.find(found->second);
  of_client->second.erase(id);
  if (of_client->second.empty()) by_client_.erase(of_client);
  admitted_.erase(found);
  return true;
}

void ConnectionSlots::forget_unadmitted(std::map<Id, std::string>::iterator connection) {
  const auto of_address = by_address_.find(connection->second);
  of_address->second.erase(connection->first);
  if (of_address->second.empty()) by_address_.erase(of_address);
  unadmitted_.erase(connection);
}

}  // namespace cairn::api
