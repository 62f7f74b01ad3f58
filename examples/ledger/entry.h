#pragma once

#include <cstdint>
#include <string>

#include "eventstore/base/result.h"
#include "eventstore/types.h"

namespace ledger {

// Half of a transfer, as it stands in one of its two accounts. The other half stands in the other account,
// with the same amount below or above zero: both together are nothing.
struct Entry {
  static constexpr std::string_view kType = "EntryPosted";

  std::int64_t cents = 0;  // above zero: came in; below: went out
  std::string other;       // the account on the other side
};

// The event an entry becomes, with an id of its own. Whoever appends that event again is recognised by the
// id.
cairn::NewEvent to_event(const Entry& entry);

// Fails with kCorruption for an event that is no entry.
cairn::Result<Entry> read_entry(const cairn::EventView& event);

// 1250 is "12.50".
std::string money(std::int64_t cents);

}  // namespace ledger
