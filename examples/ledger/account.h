#pragma once

#include <cstdint>
#include <string>

#include "eventstore/event_store.h"

namespace ledger {

// The only account that may go below zero: its debt is the sum of all other accounts.
inline constexpr std::string_view kBank = "account-bank";

// An account up to the version that was read: the sum of its entries. Not thread-safe.
struct Account {
  std::string name;           // of its stream, such as "account-ada"
  std::uint64_t version = 0;  // number of entries read
  std::int64_t cents = 0;     // their sum

  bool can_pay(std::int64_t amount) const { return name == kBank || cents >= amount; }
};

// Reads the entries since then. An account that has never been paid to has none.
cairn::Status catch_up(cairn::EventStore& store, Account& account);

}  // namespace ledger
