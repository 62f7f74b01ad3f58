#include "api/net/connection_slots.h"

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

void ConnectionSlots::admit(Id id) {
  if (const auto found = unadmitted_.find(id); found != unadmitted_.end()) forget_unadmitted(found);
  admitted_.insert(id);
}

bool ConnectionSlots::remove(Id id) {
  if (const auto found = unadmitted_.find(id); found != unadmitted_.end()) {
    forget_unadmitted(found);
    return true;
  }
  return admitted_.erase(id) > 0;
}

void ConnectionSlots::forget_unadmitted(std::map<Id, std::string>::iterator connection) {
  const auto of_address = by_address_.find(connection->second);
  of_address->second.erase(connection->first);
  if (of_address->second.empty()) by_address_.erase(of_address);
  unadmitted_.erase(connection);
}

}  // namespace cairn::api
