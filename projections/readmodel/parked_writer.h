#pragma once

#include <map>
#include <string>

#include "eventstore/tables/table_store.h"
#include "projections/readmodel/stored_forms.h"

namespace cairn::readmodel {

// The part of a commit that changes parked places. Belongs to one transaction and one thread.
//
// Invariant: an entry counts exactly the events that wait at its place, and the first of them is the event
// that failed.
class ParkedWriter {
 public:
  explicit ParkedWriter(TableWriter& tables) : tables_(tables) {}

  // Removes the entry of a place and all events that wait there.
  Status release(const ParkedPlace& place);
  // Creates or replaces an entry. Its event waits from now on; events with lower positions no longer do.
  Status park(const ParkedPlace& place, const ParkedEvent& event);
  // Adds a waiting event; no effect if it waits already. kInvalidArgument: no event is parked at the place,
  // or only one with a higher position.
  Status wait(const ParkedPlace& place, GlobalPosition position);
  // Writes the changed entries. REQUIRES: called once, after all other calls.
  Status finish();

 private:
  Result<stored::Parked*> find(const std::string& place_key);
  Result<bool> put_waiting(const std::string& place_key, GlobalPosition position);

  TableWriter& tables_;
  std::map<std::string, stored::Parked> entries_;  // created or read so far, by place key
  std::string sealed_;                             // reused buffer
  bool finished_ = false;
};

}  // namespace cairn::readmodel
