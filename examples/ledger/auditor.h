#pragma once

#include <cstdint>

#include "eventstore/event_store.h"

namespace ledger {

// Adds up every entry of every account, in the order of the log. A transfer is in the log whole or not at
// all, so the sum is zero whenever one looks, also in the middle of a race. Belongs to one thread.
class Auditor {
 public:
  explicit Auditor(cairn::EventStore& store) : store_(store) {}

  // Reads what has come since the last look. Fails with kCorruption when the sum is not zero.
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
