#pragma once

#include <string>
#include <vector>

#include "account.h"
#include "balances.h"

namespace ledger {

// What is told on the way. Each does one thing with the ledger and prints how it went.

// Gives accounts their first money, from the bank. Those that have entries already are left alone.
cairn::Status open_accounts(cairn::EventStore& store, const std::vector<std::string>& names);

// Moves money, or is refused it.
cairn::Status pay(cairn::EventStore& store, Account from, Account to, std::int64_t cents);

// Moves money and acts as if the answer had been lost. Fails when that moves it twice.
cairn::Status pay_and_ask_again(cairn::EventStore& store, Account from, Account to, std::int64_t cents);

// Shows the rows of the projection. Fails when one differs from what the entries of its account amount to.
cairn::Status show_balances(cairn::EventStore& store, Balances& balances);

}  // namespace ledger
