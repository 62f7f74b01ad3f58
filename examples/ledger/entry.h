#pragma once

#include <cstdint>
#include <string>

#include "eventstore/base/result.h"
#include "eventstore/types.h"

namespace ledger {

// Half of a transfer: an entry in one of its two accounts. The other half is in the other account, with the
// opposite amount: the sum of both is zero.
struct Entry {
  static constexpr std::string_view kType = "EntryPosted";

  std::int64_t cents = 0;  // positive: received; negative: paid
  std::string other;       // the account on the other side
};

// The event of an entry, with a new id. The id makes appending the event again idempotent.
cairn::NewEvent to_event(const Entry& entry);

// Fails with kCorruption for an event that is not an entry.
cairn::Result<Entry> read_entry(const cairn::EventView& event);

// 1250 is "12.50".
std::string money(std::int64_t cents);

}  // namespace ledger
