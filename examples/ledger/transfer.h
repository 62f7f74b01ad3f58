#pragma once

#include <cstdint>

#include "account.h"

namespace ledger {

inline constexpr std::int64_t kTransferCentsMax = 1'000'000'000'00;
inline constexpr int kDecisionsMax = 10'000;  // of those who race for an account one wins each time

// What moving money would append: an entry for each account, both or neither, each behind the last one that
// is known here. Nothing happens yet. Fails with kInvalidArgument for an amount or accounts that make no
// sense, and with kFailedPrecondition when `from` has too little.
cairn::Result<cairn::AppendRequest> decide_transfer(const Account& from, const Account& to,
                                                    std::int64_t cents);

struct Receipt {
  cairn::StreamVersion from_entry;
  cairn::StreamVersion to_entry;
  cairn::GlobalPosition position;  // of the latter; rows that have it have both
  int decisions = 1;               // how often it had to be decided
};

// Reads both accounts, decides and appends; when another transfer came first, all of it again. So whatever is
// paid was there at that moment, without a lock on anything.
cairn::Result<Receipt> transfer(cairn::EventStore& store, Account& from, Account& to, std::int64_t cents);

}  // namespace ledger
