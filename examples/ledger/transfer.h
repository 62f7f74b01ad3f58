#pragma once

#include <cstdint>

#include "account.h"

namespace ledger {

inline constexpr std::int64_t kTransferCentsMax = 1'000'000'000'00;
inline constexpr int kDecisionsMax = 10'000;  // each round of a race for an account has one winner

// The request of a transfer: an entry for each account, both or neither, each expecting the version that was
// read. Pure: nothing is appended. Fails with kInvalidArgument for an invalid amount or equal accounts, and
// with kFailedPrecondition when `from` has too little.
cairn::Result<cairn::AppendRequest> decide_transfer(const Account& from, const Account& to,
                                                    std::int64_t cents);

struct Receipt {
  cairn::StreamVersion from_entry;
  cairn::StreamVersion to_entry;
  cairn::GlobalPosition position;  // of the second entry; rows that include it have both
  int decisions = 1;               // number of decisions
};

// Optimistic concurrency: reads both accounts, decides and appends; after a version conflict it starts again.
// So every payment was covered at that moment, without any lock.
cairn::Result<Receipt> transfer(cairn::EventStore& store, Account& from, Account& to, std::int64_t cents);

}  // namespace ledger
