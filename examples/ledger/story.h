#pragma once

#include <string>
#include <vector>

#include "account.h"
#include "balances.h"

namespace ledger {

// The steps of the example. Each does one thing with the ledger and prints the result.

// Pays the first money from the bank into accounts that have no entries yet.
cairn::Status open_accounts(cairn::EventStore& store, const std::vector<std::string>& names);

// Moves money, or is refused it.
cairn::Status pay(cairn::EventStore& store, Account from, Account to, std::int64_t cents);

// Moves money and repeats the request as after a lost answer. Fails when that moves it twice.
cairn::Status pay_and_ask_again(cairn::EventStore& store, Account from, Account to, std::int64_t cents);

// Shows the rows of the projection. Fails when one differs from the sum of its account's entries.
cairn::Status show_balances(cairn::EventStore& store, Balances& balances);

}  // namespace ledger
