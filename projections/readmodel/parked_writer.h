#pragma once

#include <map>
#include <string>

#include "eventstore/tables/table_store.h"
#include "projections/readmodel/stored_forms.h"

namespace cairn::readmodel {

// The part of a commit that is about parked places. What holds: an entry counts exactly the events that wait
// at its place, and the first of those is the one that failed.
class ParkedWriter {
 public:
  explicit ParkedWriter(TableWriter& tables) : tables_(tables) {}

  // Takes a place's entry away, and all that waits there.
  Status release(const ParkedPlace& place);
  // Makes or replaces an entry. Its event waits from now on; those that waited before its position do no
  // more.
  Status park(const ParkedPlace& place, const ParkedEvent& event);
  // Adds to what waits, unless it does already. kInvalidArgument: nothing is parked there, or behind it.
  Status wait(const ParkedPlace& place, GlobalPosition position);
  // Writes the entries that have changed. REQUIRES: called once, last.
  Status finish();

 private:
  Result<stored::Parked*> find(const std::string& place_key);
  Result<bool> put_waiting(const std::string& place_key, GlobalPosition position);

  TableWriter& tables_;
  std::map<std::string, stored::Parked> entries_;  // that were made or looked at, by their key
  std::string sealed_;
};

}  // namespace cairn::readmodel
