#pragma once

#include <cstdint>

#include "eventstore/event_store.h"

namespace ledger {

// Adds up every entry of every account, in the order of the log. A transfer is in the log completely or not
// at all, so the sum is zero at every audit, also during a race. Not thread-safe.
class Auditor {
 public:
  explicit Auditor(cairn::EventStore& store) : store_(store) {}

  // Reads the entries since the last audit. Fails with kCorruption when the sum is not zero.
  cairn::Status look();

  std::uint64_t transfers() const { return entries_ / 2; }
  std::int64_t cents() const { return cents_; }

 private:
  cairn::EventStore& store_;
  cairn::GlobalPosition through_;
  std::uint64_t entries_ = 0;
  std::int64_t cents_ = 0;
};

}  // namespace ledger
