#pragma once

#include <cstdint>
#include <string>

#include "eventstore/event_store.h"

namespace ledger {

// The one account that may go below zero: what it owes is what all others have.
inline constexpr std::string_view kBank = "account-bank";

// An account as far as it was read: its entries, added up. Belongs to one thread.
struct Account {
  std::string name;           // of its stream, such as "account-ada"
  std::uint64_t version = 0;  // how many entries were read
  std::int64_t cents = 0;     // what they amount to

  bool can_pay(std::int64_t amount) const { return name == kBank || cents >= amount; }
};

// Reads the entries that have come since. An account without any is one that nobody has paid to.
cairn::Status catch_up(cairn::EventStore& store, Account& account);

}  // namespace ledger
